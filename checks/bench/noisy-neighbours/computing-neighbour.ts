/**
 * A reference: as many processes as there are processors, which only compute. They do not call the
 * service, so what they do to the tenant is what any busy program on the machine does.
 */
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { startNode } from "@stowage/process/testing";
import type { Neighbour } from "./neighbour.ts";

/** Longer than a turn. Nothing else would end them if this program is killed. */
const computeForAWhile = "for (const end = Date.now() + 60_000; Date.now() < end; );";

export function computingNeighbour(): Neighbour {
  const count = availableParallelism();
  return {
    title: `${count} processes that only compute`,
    work: "processes",
    isReference: true,
    async start() {
      const processes = Array.from({ length: count }, () =>
        startNode(["--eval", `console.log("computing"); ${computeForAWhile}`]),
      );
      await Promise.all(processes.map((computing) => computing.line(/^computing$/)));
      return {
        turn: (turnMs) => sleep(turnMs),
        async stop() {
          for (const computing of processes) computing.kill("SIGKILL");
          await Promise.all(processes.map(({ ended }) => ended));
          return count;
        },
      };
    },
  };
}
