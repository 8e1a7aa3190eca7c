import { isPlainUrl } from "../access/parse-url.ts";
import { startProgram } from "../programs/start-program.ts";
import { authorisationEnvironment, uploadsEnvironment } from "./environment.ts";

/**
 * Has both services check their settings before any of them is started. True when all are right;
 * otherwise every fault has been told, and the exit code is set.
 */
export async function requireRightSettings(): Promise<boolean> {
  const { env } = process;
  const [uploads, authorisation] = await Promise.all([
    check("uploads", uploadsEnvironment(env, env.AUTH_URL)),
    check("authorisation", authorisationEnvironment(env)),
  ]);
  // Whoever sets it knows the port by this name.
  const renamed = authorisation.stderr.replace(/^( *)PORT:/m, "$1AUTH_PORT:");
  const own = ownFaults(env);
  process.exitCode = Math.max(uploads.exitCode, authorisation.exitCode, own === "" ? 0 : 2);
  if (process.exitCode === 0) return true;

  // What both services have is told once.
  const said = `${uploads.stderr}${renamed}${own}`;
  const faults = new Set(said.split("\n").filter((line) => line.startsWith("  ")));
  const text = [...faults].map((fault) => `${fault}\n`).join("");
  process.stderr.write(text === "" ? said : `stowage: Cannot read the settings:\n${text}`);
  return false;
}

function ownFaults({ BASE_URL: baseUrl }: NodeJS.ProcessEnv): string {
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
