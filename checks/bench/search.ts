/** The times of searches: terms of all kinds, in every sort of every part of a bucket. */
import { createLogger, openPool } from "@stowage/process";
import type { Command } from "commander";
import type pg from "pg";
import { listUploadsPath } from "../conformance/testing/json-caller.ts";
import { dataBenchmarkCommand, keptCost, type TestbedProbe } from "./data-benchmark.ts";
import { bucketId } from "./data-set.ts";
import { listShapes, pageBody } from "./list-requests.ts";
import { httpRequest } from "./load-generator.ts";
import { type Figure, type Probe, percentileOf } from "./probes.ts";
import type { Testbed } from "./testbed.ts";

export function searchCommand(signal: AbortSignal): Command {
  return dataBenchmarkCommand({
    name: "search",
    summary: "ListUploads with a search or a query: texts of all kinds, in every list",
    secondsDefault: 240,
    signal,
    // Without the service's limits, the figures say how long it would take.
    environment: { LONG_SCAN_TIMEOUT_MS: "600000", TIMEOUT_MAX_MS: "600000" },
    probes,
    againstProbes: Object.entries(searches).map(([kind, bodies]) => ({
      figures: figuresOf(kind, keptCost, undefined),
      measure: (testbed: Testbed) => search(testbed, bodies),
    })) satisfies TestbedProbe[],
  });
}

/** Texts of every length, found often, rarely and never. */
const textsOfKind: Readonly<Record<string, readonly (string | undefined)[]>> = {
  "no search": [undefined],
  "1 character": ["e", "q", "7", "_", "ü"],
  "2 characters": ["01", "xq", "zz", "_8", "fj"],
  common: ["report", ".pdf", "img_", "scan-", "2024", "summary"],
  between: ["lighthouse", "invoice 2021", "banner", "signed", "naïve"],
  rare: ["quokka", "vexillology", "obelisk", "scan-004711"],
  absent: ["qqqq", "no such name", "%_\\"],
  "ends so": ["*.pdf", "*.tar.gz", "*quokka*.docx"],
  "begins so": ["report*", "IMG_1*", "zz*"],
  pattern: ["a?c", "*", "img_10?1*.jpg", "*2019*.pdf"],
  "other script": ["写真", "ÜBERSICHT"],
};

/** What people type: words of path and name, and filters. */
const queriesOfKind: Readonly<Record<string, readonly string[]>> = {
  "one word of names": ["report", "quokka", "obelisk"],
  "one word of paths": ["proposal", "incoming", "notes"],
  "an absent word": ["no-such-word", "vexillographer"],
  "two words": ["report 2021", "quokka proposal", "scan tiff", "2024/report"],
  "three words": ["report proposal 20", "notes signed pdf", "scan 00 incoming"],
  "words and not others": ["report -draft", "quokka -proposal"],
  "a size": ["size:>1GB", "size:<100", "size:1M..1100k"],
  "a type": ["type:video", "type:archive,audio"],
  "a time": ["changed:2021", "created:2020-02 changed:>2y"],
  "words and filters": ["report type:document size:>1MB", "proposal ext:pdf", "notes changed:2021"],
};

const searches: Bodies = bodiesOf(textsOfKind, "search");
const queries: Bodies = bodiesOf(queriesOfKind, "query");

type Bodies = Readonly<Record<string, readonly object[]>>;

/** Requests for the texts of each kind. */
function bodiesOf(
  texts: Readonly<Record<string, readonly (string | undefined)[]>>,
  field: "search" | "query",
): Bodies {
  const kinds = Object.entries(texts).map(([kind, each]) => [
    field === "query" ? `query, ${kind}` : kind,
    each.map((text) => ({ [field]: text })),
  ]);
  return Object.fromEntries(kinds);
}

async function probes(testbed: Testbed, stack: AsyncDisposableStack): Promise<readonly Probe[]> {
  const pool = openPool({
    databaseUrl: testbed.databaseUrl,
    connectionsMax: 1,
    applicationName: "index-steps",
    logger: createLogger({ name: "index-steps", level: "warn" }),
  });
  stack.defer(() => pool.end());
  const p99Goal = { valueMax: p99MsMax(testbed.places.uploads) };
  return Object.entries({ ...searches, ...queries }).map(([kind, bodies]): Probe => {
    return {
      figures: figuresOf(kind, undefined, p99Goal),
      baseline: () => stepOverIndex(pool),
      subject: () => search(testbed, bodies),
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

/** Makes every search in every list, one request at a time. Gives the mean and p99 in ms. */
async function search(testbed: Testbed, bodies: readonly object[]): Promise<[number, number]> {
  const requests = bodies.flatMap((asked) =>
    listShapes.map((shape) => {
      const body = { ...pageBody(shape, testbed.places), ...asked };
      return httpRequest(listUploadsPath, testbed.token(), body);
    }),
  );
  const { port } = testbed.service;
  const { latenciesMs } = await testbed.load.run({ port, requests, connections: 1 });
  const mean = latenciesMs.reduce((sum, ms) => sum + ms, 0) / latenciesMs.length;
  return [mean, percentileOf(latenciesMs, 99)];
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
    select id_prefix as text from uploads.uploads
    where bucket_number = (select bucket_number from uploads.buckets where bucket_id = $1)
    order by size_bytes, id_prefix limit ${steppedEntries}) as entries
  where strpos(text, 'no such text') > 0`;
