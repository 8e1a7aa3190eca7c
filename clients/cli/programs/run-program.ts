import type { ProgramName } from "./entry-points.ts";
import { type StartOptions, startProgram } from "./start-program.ts";
import { listenForStop } from "./stop-signals.ts";

/** Runs one of our programs in our place: its terminal, its signals, its exit code. */
export async function runProgram(
  name: ProgramName,
  parameters: readonly string[],
  options: Pick<StartOptions, "environment"> = {},
): Promise<void> {
  const { child, ended } = startProgram(name, parameters, options);
  const stopListening = listenForStop((signal) => child.kill(signal));
  try {
    process.exitCode = await ended;
  } finally {
    stopListening();
  }
}
