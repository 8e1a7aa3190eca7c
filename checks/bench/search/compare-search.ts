/** Searches of two checkouts: every kind of term in every list, one request at a time. */

import { listUploadsPath } from "../../conformance/testing/json-caller.ts";
import {
  compareSides,
  comparisonTable,
  costGoal,
  type Probe,
  type Sides,
} from "../frame/comparison.ts";
import { percentileOf } from "../frame/statistics.ts";
import { httpRequest } from "../load/http-request.ts";
import type { DataBenchmarkRun } from "../stage/data-benchmark.ts";
import { listShapes, pageRequest } from "../stage/list-shapes.ts";
import type { Stage } from "../stage/stage.ts";
import type { Term } from "./terms.ts";
import { noSearch, terms } from "./terms.ts";

const roundsMin = 2;

export async function compareSearch(
  { seconds, signal }: DataBenchmarkRun,
  sides: Sides<Stage>,
): Promise<string> {
  const kinds = Map.groupBy([noSearch, ...terms], ({ kind }) => kind);
  const probes = Array.from(kinds, ([kind, termsOfKind]) => probeOf(kind, termsOfKind));
  await compareSides(sides, probes, { seconds: 0, roundsMin: 1, signal });
  return comparisonTable(await compareSides(sides, probes, { seconds, roundsMin, signal }));
}

function probeOf(kind: string, termsOfKind: readonly Term[]): Probe<Stage> {
  return {
    figures: [
      { title: `${kind}, mean`, unit: "ms", goal: costGoal },
      { title: `${kind}, p99`, unit: "ms", goal: costGoal },
    ],
    async measure(stage) {
      const requests = termsOfKind.flatMap(({ text }) =>
        listShapes.map((shape) => {
          const request = { ...pageRequest(shape, stage.places), search: text };
          return httpRequest(listUploadsPath, stage.token(), request);
        }),
      );
      const { port } = stage.service;
      const { latenciesMs } = await stage.load.obey({ kind: "each", port, requests });
      const mean = latenciesMs.reduce((sum, ms) => sum + ms, 0) / latenciesMs.length;
      return [mean, percentileOf([...latenciesMs], 99)];
    },
  };
}
