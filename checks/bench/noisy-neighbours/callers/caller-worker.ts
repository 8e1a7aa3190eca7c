/** The process of callers. It runs callers of one kind at a time. */
import { runWorker } from "../../programs/worker-process.ts";
import type { Caller, CallerCommand, CallerReport } from "./caller.ts";
import { startClosedLoop } from "./closed-loop.ts";
import { startIdleSessions } from "./idle-sessions.ts";
import { startSlowTrees } from "./slow-trees.ts";
import { startSteady } from "./steady.ts";
import { startTypeAhead } from "./type-ahead.ts";

const starts: Record<CallerCommand["kind"], (command: CallerCommand) => Promise<Caller> | Caller> =
  {
    steady: startSteady,
    "type-ahead": startTypeAhead,
    "closed loop": startClosedLoop,
    "slow trees": startSlowTrees,
    idle: startIdleSessions,
  };

let caller: Caller | undefined;

runWorker(async (command: CallerCommand | { stop: true }): Promise<CallerReport | undefined> => {
  if ("stop" in command) return await caller?.stop();
  caller = await starts[command.kind](command);
  return undefined;
});
