/** Runs a program of this service as a process of its own, as its users do. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** How a program ended. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A program that runs. */
export interface Running {
  process: ChildProcess;
  /** Resolves when it has ended and said everything. */
  ended: Promise<Ended>;
}

/** Starts `program`, a path relative to this service, with nothing in its environment but this. */
export function startProgram(
  program: string,
  commandLine: string[],
  environment: Record<string, string>,
): Running {
  const path = fileURLToPath(new URL(`../${program}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...commandLine], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { stdout, stderr } = child;
  const ended = Promise.all([text(stdout), text(stderr), once(child, "close")]).then(
    ([out, errors, [code]]): Ended => ({
      code: code as number | null,
      stdout: out,
      stderr: errors,
    }),
  );
  return { process: child, ended };
}

/** Runs `program` to its end. */
export async function runToEnd(...start: Parameters<typeof startProgram>): Promise<Ended> {
  return await startProgram(...start).ended;
}
