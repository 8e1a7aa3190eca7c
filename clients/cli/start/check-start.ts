/** What `npm start` checks before it starts anything: settings, data folder and ports. */
import { once } from "node:events";
import { access, constants, glob, mkdir, stat } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { holdFileLock } from "../access/file-lock.ts";
import { readLocalClient } from "../access/local-client.ts";
import { isPlainUrl } from "../arguments.ts";
import { startProgram } from "../programs/start-program.ts";
import {
  authorisationEnvironment,
  pageHost,
  uploadsEnvironment,
  webEnvironment,
} from "./environment.ts";

/** The page's server has these from npm start, not from its user. */
const placeholders = {
  authUrl: "http://127.0.0.1:8081",
  baseUrl: "http://127.0.0.1:8080",
  clientId: "none yet",
  clientSecret: "none yet",
};

/**
 * Lets the services check their settings before any is started. Returns true if all are right.
 * Otherwise it writes every error to stderr and sets the exit code.
 */
export async function requireRightSettings(): Promise<boolean> {
  const { env } = process;
  const [uploads, authorisation, web] = await Promise.all([
    check("uploads", uploadsEnvironment(env, env.AUTH_URL)),
    check("authorisation", authorisationEnvironment(env), "AUTH_"),
    check("web", webEnvironment(env, placeholders), "WEB_"),
  ]);
  const own = ownErrors(env);
  const exitCodes = [uploads, authorisation, web].map(({ exitCode }) => exitCode);
  process.exitCode = Math.max(...exitCodes, own === "" ? 0 : 2);
  if (process.exitCode === 0) return true;

  // An error that several services report is shown once.
  const said = `${uploads.stderr}${authorisation.stderr}${web.stderr}${own}`;
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

/** @param prefix of the names under which people set the ports of this service */
async function check(
  name: "uploads" | "authorisation" | "web",
  environment: Readonly<Record<string, string | undefined>>,
  prefix = "",
) {
  const program = startProgram(name, ["--check-settings"], {
    environment,
    stdio: ["ignore", "inherit", "pipe"],
  });
  let stderr = "";
  program.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exitCode = await program.ended;
  const renamed = stderr.replace(/^( *)(PORT|METRICS_PORT):/gm, `$1${prefix}$2:`);
  return { exitCode, stderr: renamed };
}

/** Whether sources of the page are newer than its build, as after a pull. */
export async function isPageOld(checkout: string): Promise<boolean> {
  const built = await stat(join(checkout, "clients/web/dist/index.html")).catch(() => undefined);
  // The page's server says what to do without a build.
  if (built === undefined) return false;
  const sources = glob("{api,clients/web}/**/*.{css,html,ts,tsx}", {
    cwd: checkout,
    exclude: ["**/node_modules", "clients/web/dist", "**/*.test.ts"],
  });
  for await (const file of sources) {
    if ((await stat(join(checkout, file))).mtimeMs > built.mtimeMs) return true;
  }
  return false;
}

const pageServer = "the page's server";

const portSettings = [
  { what: "the uploads service", setting: "PORT", fallback: "8080" },
  { what: "the authorisation service", setting: "AUTH_PORT", fallback: "8081" },
  { what: pageServer, setting: "WEB_PORT", fallback: "8082" },
  { what: "the uploads service", setting: "METRICS_PORT", fallback: undefined },
  { what: "the authorisation service", setting: "AUTH_METRICS_PORT", fallback: undefined },
  { what: pageServer, setting: "WEB_METRICS_PORT", fallback: undefined },
] as const;

/**
 * Makes sure that all ports are free before a service is started. The settings must be right. It
 * resembles `holdPort` of `@stowage/process`, which clients may not import.
 *
 * @throws Error naming the port and its setting.
 */
export async function requireFreePorts(environment: NodeJS.ProcessEnv): Promise<void> {
  const held: Server[] = [];
  try {
    // All at once, since the settings may name the same port twice.
    for (const { what, setting, fallback } of portSettings) {
      const port = environment[setting] || fallback;
      if (port === undefined) continue;
      const host = what === pageServer ? pageHost(environment) : environment.HOST;
      held.push(await hold(host || "127.0.0.1", Number(port), what, setting));
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
    throw new Error(`${act} (HOST must be an address of this machine)`, { cause: error });
  }
}

/**
 * Makes sure that no other start uses the data folder: it would have other addresses, and commands
 * would no longer find those of the first one.
 *
 * @throws Error that says where the other one runs, or that the folder cannot be used
 */
export async function requireOwnDataFolder(dataDir: string): Promise<void> {
  if (await holdDataFolder(dataDir)) return;
  const running = await readLocalClient(dataDir).catch(() => undefined);
  const where = running === undefined ? "" : `, with the page at ${running.pageUrl}/`;
  throw new Error(
    `Cannot start: another npm start runs with the data folder ${dataDir}${where}; ` +
      "stop it, or set DATA_DIR to another folder",
  );
}

async function holdDataFolder(dataDir: string): Promise<boolean> {
  try {
    // As the embedded database would make it: as root, its user must pass through.
    await mkdir(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    // The errors of a lock would not name the reason.
    await access(dataDir, constants.W_OK | constants.X_OK);
    return holdFileLock(join(dataDir, "start.lock"));
  } catch (cause) {
    const advice = "set DATA_DIR to a folder of your own";
    throw new Error(`Cannot use the data folder ${dataDir} (${advice})`, { cause });
  }
}
