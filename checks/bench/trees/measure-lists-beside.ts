/** What becomes of list requests while a tree streams. */
import { setTimeout as sleep } from "node:timers/promises";
import { runRounds } from "../frame/rounds.ts";
import { turnMsFor } from "../frame/turn-time.ts";
import { Measurement } from "../load/measurement.ts";
import { listRequests, treeRequest } from "../stage/call-service.ts";
import type { DataBenchmarkRun } from "../stage/data-benchmark.ts";
import { newestOfFolder, pageRequest } from "../stage/list-shapes.ts";
import { type LoadGenerator, startLoadGenerator } from "../stage/stage.ts";
import { folderTree, type TreeKind, uploadTree } from "./tree-kinds.ts";

export interface ListsBesideRow {
  readonly connections: number;
  /** None: nothing streams. */
  readonly beside: TreeKind | undefined;
  readonly lists: Measurement;
}

const widths = [1, 8];
const roundsMin = 3;
const turnMsMax = 1500;
/** The tree has begun by then. */
const leadMs = 150;

export async function measureListsBeside({
  stage,
  seconds,
  signal,
}: DataBenchmarkRun): Promise<readonly ListsBesideRow[]> {
  await using treeLoad: LoadGenerator = startLoadGenerator();
  const rows = widths.flatMap((connections) =>
    [undefined, folderTree, uploadTree].map(
      (beside): ListsBesideRow => ({ connections, beside, lists: new Measurement() }),
    ),
  );
  const turnMs = turnMsFor({ seconds, contestants: rows.length, roundsMin, turnMsMax });
  const requests = listRequests(stage, pageRequest(newestOfFolder, stage.places));
  const { port } = stage.service;

  await runRounds(rows, { seconds, roundsMin, signal }, async ({ connections, beside, lists }) => {
    const list = async (milliseconds: number) =>
      lists.add(
        await stage.load.obey({ kind: "closed loop", port, requests, connections, milliseconds }),
      );
    if (beside === undefined) return await list(turnMs);
    const streaming = treeLoad.obey({
      kind: "repeat",
      port,
      requests: [treeRequest(stage, beside.body)],
      milliseconds: leadMs + turnMs,
    });
    await Promise.all([streaming, sleep(leadMs).then(() => list(turnMs))]);
    // What was broken off is not to last into the next turn.
    await stage.load.obey({ kind: "each", port, requests });
  });
  return rows;
}
