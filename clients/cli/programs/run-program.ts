import type { ProgramName } from "./entry-points.ts";
import { startProgram } from "./start-program.ts";
import { listenForStop } from "./stop-signals.ts";

/** Runs one of our programs in our place: its terminal, its signals, its exit code. */
export async function runProgram(name: ProgramName, parameters: readonly string[]): Promise<void> {
  const { child, ended } = startProgram(name, parameters);
  const stopListening = listenForStop((signal) => child.kill(signal));
  try {
    process.exitCode = await ended;
  } finally {
    stopListening();
  }
}
