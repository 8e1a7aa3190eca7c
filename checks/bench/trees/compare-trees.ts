/** Whole trees of two checkouts: how long they take, and in how much memory. */

import {
  compareSides,
  comparisonTable,
  costGoal,
  type Probe,
  type Sides,
} from "../frame/comparison.ts";
import { forgetPeak, readMemory } from "../programs/process-memory.ts";
import { treeRequest } from "../stage/call-service.ts";
import type { DataBenchmarkRun } from "../stage/data-benchmark.ts";
import type { Stage } from "../stage/stage.ts";
import { folderTree, type TreeKind, uploadTree } from "./tree-kinds.ts";

const roundsMin = 3;
const warmUpRounds = 2;

export async function compareTrees(
  { seconds, signal }: DataBenchmarkRun,
  sides: Sides<Stage>,
): Promise<string> {
  const probes = [folderTree, uploadTree].map(probeOf);
  await compareSides(sides, probes, { seconds: 0, roundsMin: warmUpRounds, signal });
  return comparisonTable(await compareSides(sides, probes, { seconds, roundsMin, signal }));
}

function probeOf({ name, body }: TreeKind): Probe<Stage> {
  return {
    figures: [
      { title: `tree of ${name}`, unit: "ms", goal: costGoal },
      { title: `tree of ${name}, first byte`, unit: "ms", goal: costGoal },
      { title: `tree of ${name}, peak memory`, unit: "MiB", goal: costGoal },
    ],
    async measure(stage) {
      const { processId, port } = stage.service;
      await forgetPeak(processId);
      const requests = [treeRequest(stage, body)];
      const report = await stage.load.obey({ kind: "each", port, requests });
      const { peakBytes } = await readMemory(processId);
      return [report.latenciesMs[0]!, report.firstByteMs[0]!, peakBytes / 2 ** 20];
    },
  };
}
