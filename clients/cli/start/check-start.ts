/** What `npm start` checks before it starts anything: settings and ports. */

import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { isPlainUrl } from "../arguments.ts";
import { startProgram } from "../programs/start-program.ts";
import { authorisationEnvironment, uploadsEnvironment } from "./environment.ts";

/**
 * Lets both services check their settings before either is started. Returns true if all are right.
 * Otherwise it writes every error to stderr and sets the exit code.
 */
export async function requireRightSettings(): Promise<boolean> {
  const { env } = process;
  const [uploads, authorisation] = await Promise.all([
    check("uploads", uploadsEnvironment(env, env.AUTH_URL)),
    check("authorisation", authorisationEnvironment(env)),
  ]);
  // People set these ports as AUTH_PORT and AUTH_METRICS_PORT.
  const renamed = authorisation.stderr.replace(/^( *)(PORT|METRICS_PORT):/gm, "$1AUTH_$2:");
  const own = ownErrors(env);
  process.exitCode = Math.max(uploads.exitCode, authorisation.exitCode, own === "" ? 0 : 2);
  if (process.exitCode === 0) return true;

  // An error that both services report is shown once.
  const said = `${uploads.stderr}${renamed}${own}`;
  const errors = new Set(said.split("\n").filter((line) => line.startsWith("  ")));
  const text = [...errors].map((line) => `${line}\n`).join("");
  process.stderr.write(text === "" ? said : `stowage: Cannot read the settings:\n${text}`);
  return false;
}

function ownErrors({ BASE_URL: baseUrl }: NodeJS.ProcessEnv): string {
  if (!baseUrl || isPlainUrl(baseUrl)) return "";
  const given = JSON.stringify(baseUrl);
  return `  BASE_URL: got ${given}, need an http or https address without query or fragment\n`;
}

async function check(
  name: "uploads" | "authorisation",
  environment: Readonly<Record<string, string | undefined>>,
) {
  const program = startProgram(name, ["--check-settings"], {
    environment,
    stdio: ["ignore", "inherit", "pipe"],
  });
  let stderr = "";
  program.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return { exitCode: await program.ended, stderr };
}

const portSettings = [
  { service: "uploads", setting: "PORT", fallback: "8080" },
  { service: "authorisation", setting: "AUTH_PORT", fallback: "8081" },
  { service: "uploads", setting: "METRICS_PORT", fallback: undefined },
  { service: "authorisation", setting: "AUTH_METRICS_PORT", fallback: undefined },
] as const;

/**
 * Makes sure that all ports are free before a service is started. The settings must be right. It
 * resembles `findPort` of `@stowage/process`, which clients may not import.
 *
 * @throws Error naming the port and its setting.
 */
export async function requireFreePorts(environment: NodeJS.ProcessEnv): Promise<void> {
  const host = environment.HOST || "127.0.0.1";
  const held: Server[] = [];
  try {
    // All at once, since the settings may name the same port twice.
    for (const { service, setting, fallback } of portSettings) {
      const port = environment[setting] || fallback;
      if (port === undefined) continue;
      held.push(await hold(host, Number(port), `the ${service} service`, setting));
    }
  } finally {
    await Promise.all(held.map((server) => once(server.close(), "close")));
  }
}

async function hold(host: string, port: number, what: string, setting: string): Promise<Server> {
  const server = createServer();
  try {
    await once(server.listen({ host, port }), "listening");
    return server;
  } catch (error) {
    const act = `Cannot start ${what} on ${host} port ${port}`;
    const advice = `set ${setting} to another port, or to 0 for any that is free`;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new Error(`${act}: the port is in use; ${advice}`);
    if (code === "EACCES") throw new Error(`${act}: that takes more rights; ${advice}`);
    throw new Error(act, { cause: error });
  }
}
