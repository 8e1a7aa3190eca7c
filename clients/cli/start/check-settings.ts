import { startProgram } from "../programs/start-program.ts";
import { authorisationEnvironment, uploadsEnvironment } from "./environment.ts";

/**
 * Has both services check their settings before any of them is started. True when all are right;
 * otherwise every fault has been told, and the exit code is set.
 */
export async function requireRightSettings(): Promise<boolean> {
  const { env } = process;
  const checks = await Promise.all([
    check("uploads", uploadsEnvironment(env, env.AUTH_URL)),
    check("authorisation", authorisationEnvironment(env)),
  ]);
  const failed = checks.filter(({ exitCode }) => exitCode !== 0);
  if (failed.length === 0) return true;

  const [uploads = "", authorisation = ""] = checks.map(({ stderr }) => stderr);
  // Whoever sets it knows the port by this name.
  const renamed = authorisation.replace(/^( *)PORT:/m, "$1AUTH_PORT:");
  // What both have is told once.
  const faults = new Set(`${uploads}${renamed}`.split("\n").filter((line) => line.startsWith(" ")));
  const text = [...faults].map((fault) => `${fault}\n`).join("");
  process.stderr.write(
    text === "" ? uploads + renamed : `stowage: Cannot read the settings:\n${text}`,
  );
  process.exitCode = Math.max(...failed.map(({ exitCode }) => exitCode));
  return false;
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
