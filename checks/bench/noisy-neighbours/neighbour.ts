/** Somebody who calls, or imports, beside the well-behaved tenant. */
import { setTimeout as sleep } from "node:timers/promises";
import { listFolderTreePath } from "../../conformance/testing/json-caller.ts";
import type { Testbed } from "../testbed/testbed.ts";
import type { CallerCommand, CallerProcess } from "./callers/caller.ts";
import { callOfNeighbour, slowSearches, typedSearches } from "./searches.ts";

export interface Neighbour {
  readonly title: string;
  /** What it does, for the figure that shows how much it did. */
  readonly work: string;
  /** Whether it calls nothing: it shows what the machine allows, and has no goal. */
  readonly isReference?: boolean;
  /** Resolves when it is at work. */
  start(): Promise<NeighbourAtWork>;
  /** Removes what it left, when nobody is measured. */
  cleanUp?(): Promise<void>;
}

interface NeighbourAtWork {
  /** Resolves after a turn, or when its work is done. */
  turn(turnMs: number): Promise<void>;
  /** Ends it. Gives how much it did. */
  stop(): Promise<number>;
}

/** Another address than that of the well-behaved tenant. */
const localAddress = "127.0.0.3";

/** Those who call the service. */
export function callingNeighbours(testbed: Testbed, callers: CallerProcess): Neighbour[] {
  const trees = Array.from({ length: 16 }, (_, index) =>
    callOfNeighbour(testbed, listFolderTreePath, { includeUploads: true }, index),
  );
  const { port } = testbed.service;
  const calling = (
    title: string,
    work: string,
    end: string,
    command: Pick<CallerCommand, "kind" | "calls">,
  ): Neighbour => {
    return {
      title,
      work,
      async start() {
        const caller = await callers.start({ ...command, port, localAddress });
        return {
          turn: (turnMs) => sleep(turnMs),
          stop: async () => (await caller.stop()).ends[end] ?? 0,
        };
      },
    };
  };
  return [
    calling("type-ahead", "searches aborted", "aborted", {
      kind: "type-ahead",
      calls: typedSearches(testbed),
    }),
    calling("64 slow searches at once", "searches answered", "200", {
      kind: "closed loop",
      calls: slowSearches(testbed),
    }),
    calling("16 slow tree readers", "trees that still stream", "streaming", {
      kind: "slow trees",
      calls: trees,
    }),
    calling("1,000 idle HTTP/2 sessions", "sessions still open", "open", {
      kind: "idle",
      calls: [],
    }),
  ];
}
