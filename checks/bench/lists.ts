/** The rates of lists: the newest of a folder, and every sort of every part of a bucket. */
import assert from "node:assert/strict";
import type { Command } from "commander";
import { readMemory, readProcessorMs, resetPeak } from "../testing/process-usage.ts";
import {
  dataBenchmarkCommand,
  keptBinaryRate,
  keptCost,
  keptRate,
  type TestbedProbe,
} from "./data-benchmark.ts";
import {
  callListUploads,
  type ListShape,
  listRequests,
  listShapes,
  newestOfFolder,
  pageBody,
  sorts,
  titleOf,
} from "./list-requests.ts";
import type { Figure, Probe } from "./probes.ts";
import type { Testbed } from "./testbed.ts";
import { WorkerProcess } from "./worker-process.ts";

export function listsCommand(signal: AbortSignal): Command {
  return dataBenchmarkCommand({
    name: "lists",
    summary: "ListUploads: pages of 50 in every order, beside a bare server",
    secondsDefault: 240,
    signal,
    probes,
    againstProbes: againstProbes(),
  });
}

const widths = [1, 8, 32];
const sortWidth = 8;
const goals = {
  ofFloor: { ratioMin: 0.7 },
  // At most 1.3 times as long as the newest of the folder, and 1.2 times as long as page 1.
  sort: { ratioMin: 1 / 1.3 },
  latePage: { ratioMin: 1 / 1.2 },
};

async function probes(testbed: Testbed, stack: AsyncDisposableStack): Promise<readonly Probe[]> {
  const floorPort = await startFloor(testbed, stack);
  const { port } = testbed.service;
  const newest = pageBody(newestOfFolder, testbed.places);
  const rateOf = (serverPort: number, body: object, width: number) => {
    const requests = listRequests(testbed, body);
    return async (turnMs: number) => [
      await measureRate(testbed, serverPort, requests, width, turnMs),
    ];
  };
  const found = widths.flatMap((width): Probe[] => [
    {
      figures: [rate(`newest, ${width} at once: floor`, goals.ofFloor)],
      baseline: rateOf(floorPort, newest, width),
      subject: rateOf(port, newest, width),
    },
  ]);
  for (const shape of listShapes) {
    const first = pageBody(shape, testbed.places);
    const late = await latePageBody(testbed, first, shape);
    found.push(
      {
        figures: [rate(`${titleOf(shape)}: newest of folder`, goals.sort)],
        baseline: rateOf(port, newest, sortWidth),
        subject: rateOf(port, first, sortWidth),
      },
      {
        figures: [rate(`${titleOf(shape)}, page ${latePage}: page 1`, goals.latePage)],
        baseline: rateOf(port, first, sortWidth),
        subject: rateOf(port, late, sortWidth),
      },
    );
  }
  return found;
}

/** A server that answers with other uploads than the service would measure something else. */
async function startFloor(testbed: Testbed, stack: AsyncDisposableStack): Promise<number> {
  const file = new URL("floor.ts", import.meta.url);
  const worker = stack.use(new WorkerProcess<{ databaseUrl: string }, number>(file));
  const port = await worker.run({ databaseUrl: testbed.databaseUrl });
  const body = pageBody(newestOfFolder, testbed.places);
  const idsFrom = async (serverPort: number) =>
    (await callListUploads(testbed, serverPort, body)).uploads.map(({ uploadId }) => uploadId);
  assert.deepEqual(await idsFrom(port), await idsFrom(testbed.service.port));
  return port;
}

function rate(title: string, goal: Figure["goal"]): Figure {
  return { title, unit: "calls/s", ...(goal && { goal }) };
}

async function measureRate(
  testbed: Testbed,
  port: number,
  requests: readonly Buffer[],
  connections: number,
  milliseconds: number,
): Promise<number> {
  const report = await testbed.load.run({ port, requests, connections, milliseconds });
  return (report.latenciesMs.length / report.tookMs) * 1000;
}

const latePage = 200;
const pageSize = 50;
/** The most that the contract gives on one page. */
const pageSizeMax = 1000;

/** The request for page 200, or for the last full one of a shorter list. */
async function latePageBody(testbed: Testbed, body: object, { scope }: ListShape): Promise<object> {
  const uploads = scope === "bucket" ? testbed.places.uploads : testbed.places[scope].uploads;
  const number = Math.max(1, Math.min(latePage, Math.floor(uploads / pageSize)));
  let cursor = "";
  for (let left = (number - 1) * pageSize; left > 0; left -= pageSizeMax) {
    const page = { ...body, cursor, pageSize: Math.min(left, pageSizeMax) };
    cursor = (await callListUploads(testbed, testbed.service.port, page)).nextCursor;
  }
  return { ...body, cursor };
}

function againstProbes(): readonly TestbedProbe[] {
  const ascending = sorts.map((sortBy) => ({ scope: "bucket", sortBy, sortOrder: "asc" }) as const);
  const newestOfSubtree = { ...newestOfFolder, scope: "subtree" } as const;
  return [false, true].flatMap((isBinary) => [
    ...widths.map((width) => againstProbe(newestOfFolder, width, isBinary)),
    ...[...ascending, newestOfSubtree].map((shape) => againstProbe(shape, sortWidth, isBinary)),
  ]);
}

function againstProbe(shape: ListShape, width: number, isBinary: boolean): TestbedProbe {
  const title = `${titleOf(shape)}, ${width} at once, ${isBinary ? "protobuf" : "JSON"}`;
  const cost = isBinary ? {} : { goal: keptCost };
  const memory: Figure = { title: `${title}: peak memory`, unit: "MiB", ...cost };
  return {
    figures: [
      rate(title, isBinary ? keptBinaryRate : keptRate),
      { title: `${title}: work for a call`, unit: "µs CPU", ...cost },
      ...(width === widths.at(-1) ? [memory] : []),
    ],
    async measure(testbed, milliseconds) {
      const { processId, port } = testbed.service;
      const requests = listRequests(testbed, pageBody(shape, testbed.places), { isBinary });
      const processIds = [processId, ...(await testbed.databaseProcessIds())];
      await resetPeak(processId);
      const beforeMs = await readProcessorMs(processIds);
      const command = { port, requests, connections: width, milliseconds };
      const { latenciesMs, tookMs } = await testbed.load.run(command);
      const spentMs = (await readProcessorMs(processIds)) - beforeMs;
      const { peakBytes } = await readMemory(processId);
      const calls = latenciesMs.length;
      return [(calls / tookMs) * 1000, (spentMs / calls) * 1000, peakBytes / 2 ** 20];
    },
  };
}
