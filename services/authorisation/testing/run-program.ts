/** Runs a program of this service as a process. */
import { fileURLToPath } from "node:url";
import { type StartedProcess, startNode } from "@stowage/process/testing";

/** How a program ended. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Starts `program`, a path relative to this service, with exactly this environment, and no drain
 * time.
 */
export function startProgram(
  program: string,
  commandLine: string[],
  environment: Record<string, string>,
): StartedProcess {
  const path = fileURLToPath(new URL(`../${program}`, import.meta.url));
  return startNode([path, ...commandLine], {
    env: { DRAIN_MS: "0", ...environment },
    bareEnv: true,
  });
}

/** The issuer that the service prints when it listens. Rejects if the service ends first. */
export async function ready(service: StartedProcess): Promise<string> {
  const line = await service.line(/^authorisation: listening on http:\/\/127\.0\.0\.1:\d+$/);
  return line.split(" ").at(-1) ?? "";
}

/** Runs `program` to its end. */
export async function runToEnd(...start: Parameters<typeof startProgram>): Promise<Ended> {
  const { exitCode: code, stdout, stderr } = await startProgram(...start).ended;
  return { code, stdout, stderr };
}
