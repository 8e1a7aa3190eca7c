/** `stowage audit`: tells what was granted. */
import type { Command } from "commander";
import { runProgram } from "../programs/run-program.ts";
import { passedThrough } from "./passed-through.ts";

/** The command, for `main.ts`. */
export function auditCommand(): Command {
  return passedThrough(
    "audit",
    "Lists what was granted, to whom, when, and from which address.",
  ).action((parameters: string[]) => runProgram("audit", parameters));
}
