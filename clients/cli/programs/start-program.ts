/** Programs as child processes that end with us, whatever becomes of us. */
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { constants } from "node:os";
import { entryPoints, type ProgramName } from "./entry-points.ts";

export interface StartOptions {
  /** Added to this process's own environment; undefined takes a name away. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Of stdin, stdout and stderr; default: all three are ours. */
  readonly stdio?: readonly ["ignore" | "inherit", "pipe" | "inherit", "pipe" | "inherit"];
}

export interface Program {
  readonly child: ChildProcess;
  /** Exit code, or 128 and the signal's number. Rejects when the program cannot be started. */
  readonly ended: Promise<number>;
}

/** Starts one of our programs under the Node that runs this one. */
export function startProgram(
  name: ProgramName,
  parameters: readonly string[],
  options: StartOptions = {},
): Program {
  const stdio: StdioOptions = [...(options.stdio ?? inheritAll), "ipc"];
  const child = spawn(
    process.execPath,
    ["--import", endWithParent, entryPoints[name], ...parameters],
    // A process group of its own: the terminal's signals come through us, once.
    { detached: true, stdio, env: { ...process.env, ...options.environment } },
  );
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", (cause) => reject(new Error(`Cannot start ${name}`, { cause })));
    child.once("close", (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
  // Told to whoever waits for the end; nobody need be waiting yet.
  ended.catch(() => undefined);
  return { child, ended };
}

const inheritAll = ["inherit", "inherit", "inherit"] as const;
const endWithParent = new URL("end-with-parent.ts", import.meta.url).href;
