/** Whole trees: time, first byte and memory. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { Command } from "commander";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { listFolderTreePath } from "../conformance/testing/json-caller.ts";
import { callHeaders } from "../testing/call-headers.ts";
import { readMemory, readProcessorMs, resetPeak } from "../testing/process-usage.ts";
import { dataBenchmarkCommand, keptCost, type TestbedProbe } from "./data-benchmark.ts";
import { bucketId } from "./data-set.ts";
import type { Figure, Probe } from "./probes.ts";
import type { Testbed } from "./testbed.ts";

export function treesCommand(signal: AbortSignal): Command {
  return dataBenchmarkCommand({
    name: "trees",
    summary: "ListFolderTree of the whole bucket, beside COPY of the same rows",
    secondsDefault: 150,
    signal,
    // Trees may have any size and take any time.
    environment: { TREE_NODES_MAX: "100000000", TIMEOUT_MAX_MS: "600000" },
    probes,
    againstProbes: kinds.map(({ name, body }): TestbedProbe => {
      return {
        figures: figuresOf(name, { time: keptCost, firstByte: keptCost, memory: keptCost }),
        measure: (testbed) => measureTree(testbed, body),
      };
    }),
  });
}

interface TreeKind {
  readonly name: string;
  readonly body: object;
  /** Read the same rows. */
  readonly queries: readonly string[];
}

const isInBucket = `bucket_number = (
    select bucket_number from uploads.buckets where bucket_id = '${bucketId}')`;
const folderColumns = `
  select tree_key, folder_id, settings, scoping_integration_id, virtual_file_integration_id,
    integration_hidden
  from uploads.folders where ${isInBucket} order by tree_key`;
const uploadColumns = `
  select path, upload_id, filename, slug, size_bytes, type, tags, integration_id, created_at,
    updated_at, "order", integration_hidden, external_path, intent_metadata, details
  from uploads.uploads where ${isInBucket}
  order by tree_position, filename, id_prefix`;

const kinds: readonly TreeKind[] = [
  { name: "folders", body: {}, queries: [folderColumns] },
  {
    name: "folders and uploads",
    body: { includeUploads: true },
    queries: [folderColumns, uploadColumns],
  },
];

const timeOfCopyMax = 1.5;
const firstByteMsMax = 100;
const grownMebibytesMax = 64;
const levelWithTotalsMax = 1.5;

async function probes(testbed: Testbed, stack: AsyncDisposableStack): Promise<readonly Probe[]> {
  const client = new pg.Client(testbed.databaseUrl);
  await client.connect();
  stack.defer(() => client.end());
  // Code is compiled and connections are open; no large tree has left memory in use yet.
  await streamTree(testbed, { maxDepth: 1 });
  const { residentBytes } = await readMemory(testbed.service.processId);
  const memory = { valueMax: grownMebibytesMax + Math.round(residentBytes / 2 ** 20) };
  const trees = kinds.map(({ name, body, queries }): Probe => {
    const time = name === "folders" ? { ratioMax: timeOfCopyMax } : undefined;
    const goals = { time, firstByte: { valueMax: firstByteMsMax }, memory };
    return {
      figures: figuresOf(name, goals),
      // Its memory is that of the service before the first tree.
      baseline: async () => [...(await copyDocuments(client, queries)), residentBytes / 2 ** 20],
      subject: () => measureTree(testbed, body),
    };
  });
  return [totalsProbe(testbed), ...trees];
}

/** The first level as the page shows it, with what is in and under each folder, and without. */
function totalsProbe(testbed: Testbed): Probe {
  const title = "first level with totals, without them";
  const goal = { ratioMax: levelWithTotalsMax };
  const measure = (body: object) => (turnMs: number) => measureLevel(testbed, body, turnMs);
  return {
    figures: [
      { title: `${title}: time`, unit: "ms", goal },
      { title: `${title}: work for a call`, unit: "µs CPU", goal },
    ],
    baseline: measure({ maxDepth: 1 }),
    subject: measure({ maxDepth: 1, includeRollups: true }),
  };
}

async function measureLevel(
  testbed: Testbed,
  body: object,
  turnMs: number,
): Promise<[number, number]> {
  const processIds = [testbed.service.processId, ...(await testbed.databaseProcessIds())];
  const beforeMs = await readProcessorMs(processIds);
  const startMs = performance.now();
  let calls = 0;
  let tookMs = 0;
  for (; tookMs < turnMs; tookMs = performance.now() - startMs) {
    await streamTree(testbed, body);
    calls += 1;
  }
  const spentMs = (await readProcessorMs(processIds)) - beforeMs;
  return [tookMs / calls, (spentMs / calls) * 1000];
}

function figuresOf(
  name: string,
  goals: Readonly<Record<"time" | "firstByte" | "memory", Figure["goal"]>>,
): Figure[] {
  const figure = (title: string, unit: Figure["unit"], goal: Figure["goal"]): Figure => {
    return { title: `tree of ${name}: ${title}`, unit, ...(goal && { goal }) };
  };
  return [
    figure("time", "ms", goals.time),
    figure("first byte", "ms", goals.firstByte),
    figure("peak memory", "MiB", goals.memory),
  ];
}

async function measureTree(testbed: Testbed, body: object): Promise<[number, number, number]> {
  const { processId } = testbed.service;
  await resetPeak(processId);
  const { tookMs, firstByteMs } = await streamTree(testbed, body);
  return [tookMs, firstByteMs, (await readMemory(processId)).peakBytes / 2 ** 20];
}

/** The baseline: reads the documents by COPY, with the driver that the service has. */
async function copyDocuments(
  client: pg.Client,
  queries: readonly string[],
): Promise<[number, number]> {
  const startMs = performance.now();
  let firstByteMs: number | undefined;
  for (const query of queries) {
    const stream = client.query(copyTo(`copy (${query}) to stdout`));
    for await (const _ of stream) firstByteMs ??= performance.now() - startMs;
  }
  const tookMs = performance.now() - startMs;
  return [tookMs, firstByteMs ?? tookMs];
}

interface TreeTimes {
  readonly tookMs: number;
  readonly firstByteMs: number;
}

/** Drops what comes. Rejects unless the whole tree comes with status 200. */
async function streamTree(testbed: Testbed, body: object): Promise<TreeTimes> {
  const startMs = performance.now();
  const call = request({
    port: testbed.service.port,
    host: "127.0.0.1",
    path: listFolderTreePath,
    method: "POST",
    headers: callHeaders(testbed.token()),
  });
  call.end(JSON.stringify(body));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`got a tree of status ${response.statusCode}`);
  const firstByteMs = performance.now() - startMs;
  response.resume();
  await once(response, "end");
  return { tookMs: performance.now() - startMs, firstByteMs };
}
