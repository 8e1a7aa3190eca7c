/** Lists of two checkouts: the newest of a folder and every sort, in JSON and in protobuf. */

import {
  binaryRateGoal,
  compareSides,
  comparisonTable,
  costGoal,
  type Probe,
  rateGoal,
  type Sides,
} from "../frame/comparison.ts";
import { turnMsFor } from "../frame/turn-time.ts";
import { forgetPeak, readMemory } from "../programs/process-memory.ts";
import { binaryBody, listRequests } from "../stage/call-service.ts";
import type { DataBenchmarkRun } from "../stage/data-benchmark.ts";
import { type ListShape, newestOfFolder, pageRequest, sorts } from "../stage/list-shapes.ts";
import type { Stage } from "../stage/stage.ts";

const widths = [1, 8, 32];
const sortConnections = 8;
const roundsMin = 3;
const turnMsMax = 250;
const warmUpPart = 0.1;

export async function compareLists(
  { seconds, signal }: DataBenchmarkRun,
  sides: Sides<Stage>,
): Promise<string> {
  const contestants = 2 * probesOf(0).length;
  const probes = probesOf(turnMsFor({ seconds, contestants, roundsMin, turnMsMax }));
  const warmUp = { seconds: seconds * warmUpPart, roundsMin: 1, signal };
  await compareSides(sides, probes, warmUp);
  const measuring = { seconds: seconds * (1 - warmUpPart), roundsMin, signal };
  return comparisonTable(await compareSides(sides, probes, measuring));
}

function probesOf(milliseconds: number): readonly Probe<Stage>[] {
  const rate = async (stage: Stage, shape: ListShape, connections: number, isBinary: boolean) => {
    const body = pageRequest(shape, stage.places);
    const requests = listRequests(stage, isBinary ? binaryBody(body) : body);
    const { port } = stage.service;
    const order = { kind: "closed loop", port, requests, connections, milliseconds } as const;
    const { latenciesMs, tookMs } = await stage.load.obey(order);
    return (latenciesMs.length / tookMs) * 1000;
  };
  const probe = (shape: ListShape, connections: number, isBinary: boolean): Probe<Stage> => {
    const list = `${shape.scope}, ${shape.sortBy} ${shape.sortOrder}`;
    const title = `${list}, ${connections} at once, ${isBinary ? "protobuf" : "JSON"}`;
    const goal = isBinary ? binaryRateGoal : rateGoal;
    return {
      figures: [{ title, unit: "requests/s", goal }],
      measure: async (stage) => [await rate(stage, shape, connections, isBinary)],
    };
  };
  const bucketSorts = sorts.map(
    (sortBy) => ({ scope: "bucket", sortBy, sortOrder: "asc" }) as const,
  );
  const newestOfSubtree = { ...newestOfFolder, scope: "subtree" } as const;
  return [
    ...widths.map((connections) => probe(newestOfFolder, connections, false)),
    ...[...bucketSorts, newestOfSubtree].map((shape) => probe(shape, sortConnections, false)),
    ...widths.map((connections) => probe(newestOfFolder, connections, true)),
    ...bucketSorts.map((shape) => probe(shape, sortConnections, true)),
    {
      figures: [{ title: "peak memory while 32 list the newest", unit: "MiB", goal: costGoal }],
      async measure(stage) {
        await forgetPeak(stage.service.processId);
        await rate(stage, newestOfFolder, widths.at(-1)!, false);
        return [(await readMemory(stage.service.processId)).peakBytes / 2 ** 20];
      },
    },
  ];
}
