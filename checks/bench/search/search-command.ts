/** The times of searches: terms of all kinds, in every sort of every part of a bucket. */
import { createLogger, openPool } from "@stowage/process";
import type { Command } from "commander";
import type pg from "pg";
import { listUploadsPath } from "../../conformance/testing/json-caller.ts";
import { bucketId } from "../data-set/data-set.ts";
import { httpRequest } from "../load/load-generator.ts";
import type { Figure, Probe } from "../measuring/probes.ts";
import { meanOf, percentileOf } from "../measuring/statistics.ts";
import { dataBenchmarkCommand, keptCost, type TestbedProbe } from "../testbed/data-benchmark.ts";
import { listShapes, pageBody } from "../testbed/list-requests.ts";
import type { Testbed } from "../testbed/testbed.ts";
import { noSearch, type Term, terms } from "./terms.ts";

export function searchCommand(signal: AbortSignal): Command {
  return dataBenchmarkCommand({
    name: "search",
    summary: "ListUploads with a search: 40 terms of all kinds, in every list",
    secondsDefault: 240,
    signal,
    probes,
    againstProbes: Array.from(kinds, ([kind, termsOfKind]) => ({
      figures: figuresOf(kind, keptCost, undefined),
      measure: (testbed: Testbed) => search(testbed, termsOfKind),
    })) satisfies TestbedProbe[],
  });
}

const kinds = Map.groupBy([noSearch, ...terms], ({ kind }) => kind);

async function probes(testbed: Testbed, stack: AsyncDisposableStack): Promise<readonly Probe[]> {
  const pool = openPool({
    databaseUrl: testbed.databaseUrl,
    connectionsMax: 1,
    applicationName: "index-steps",
    logger: createLogger({ name: "index-steps", level: "warn" }),
  });
  stack.defer(() => pool.end());
  const p99Goal = { valueMax: p99MsMax(testbed.places.uploads) };
  return Array.from(kinds, ([kind, termsOfKind]): Probe => {
    return {
      figures: figuresOf(kind, undefined, p99Goal),
      baseline: () => stepOverIndex(pool),
      subject: () => search(testbed, termsOfKind),
    };
  });
}

/** Four times as long is allowed in ten times as many uploads. */
function p99MsMax(uploads: number): number {
  return uploads > 1_500_000 ? 100 : 25;
}

function figuresOf(kind: string, mean: Figure["goal"], p99: Figure["goal"]): Figure[] {
  return [
    { title: `${kind}: mean`, unit: "ms", ...(mean && { goal: mean }) },
    { title: `${kind}: p99`, unit: "ms", ...(p99 && { goal: p99 }) },
  ];
}

/** Searches for every term in every list, one request at a time. Gives the mean and p99 in ms. */
async function search(testbed: Testbed, termsOfKind: readonly Term[]): Promise<[number, number]> {
  const requests = termsOfKind.flatMap((term) =>
    listShapes.map((shape) => {
      const body = { ...pageBody(shape, testbed.places), search: term.text };
      return httpRequest(listUploadsPath, testbed.token(), body);
    }),
  );
  const { port } = testbed.service;
  const { latenciesMs } = await testbed.load.run({ port, requests, connections: 1 });
  return [meanOf(latenciesMs), percentileOf(latenciesMs, 99)];
}

const steppedEntries = 20_000;

/**
 * The baseline: steps over entries of the index that a list is ordered by, and looks for a text in
 * each. A search that looks at as many entries cannot take less.
 */
async function stepOverIndex(pool: pg.Pool): Promise<[number, number]> {
  const startMs = performance.now();
  await pool.query({ name: "steps", text: stepOver, values: [bucketId] });
  const tookMs = performance.now() - startMs;
  return [tookMs, tookMs];
}

const stepOver = `
  select count(*) from (
    select upload_id::text as text from uploads.uploads where bucket_id = $1
    order by size_bytes, upload_id limit ${steppedEntries}) as entries
  where strpos(text, 'no such text') > 0`;
