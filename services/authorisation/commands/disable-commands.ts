/** `disable` and `enable`, which clients, accounts and organisations have in common. */
import { printText } from "@stowage/process";
import type { Command } from "commander";
import { type DisabledKind, disable, enable } from "../store/disabling.ts";
import type { WithPool } from "./run-commands.ts";

/** Defines both commands. `argument` is the name of what is disabled, and how to read it. */
export function defineDisabling(
  program: Command,
  withPool: WithPool,
  kind: DisabledKind,
  argument: readonly [name: string, description: string, parse: (text: string) => string],
): void {
  const change = async (name: string, change: typeof disable, verb: "disable" | "enable") => {
    if (!(await withPool((pool) => change(pool, kind, name)))) {
      throw new Error(`Cannot ${verb} ${kind} ${name}: there is no such ${kind}`);
    }
    printText(`${verb}d ${kind} ${name}\n`);
  };
  program
    .command("disable")
    .description(
      `Disables a${kind === "client" ? "" : "n"} ${kind}: it gets no tokens, and its tokens and ` +
        "sessions end within two seconds.",
    )
    .argument(...argument)
    .action((name: string) => change(name, disable, "disable"));
  program
    .command("enable")
    .description(
      `Enables the ${kind} again. People must sign in again. Programs get valid tokens from a ` +
        "minute after it was disabled.",
    )
    .argument(...argument)
    .action((name: string) => change(name, enable, "enable"));
}
