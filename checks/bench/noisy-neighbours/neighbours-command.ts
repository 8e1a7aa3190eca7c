/** Measures the lists of a well-behaved tenant while a neighbour does its worst. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import pg from "pg";
import { root } from "../../testing/programs.ts";
import type { Figure, Probe } from "../measuring/probes.ts";
import { percentileOf } from "../measuring/statistics.ts";
import { dataBenchmarkCommand } from "../testbed/data-benchmark.ts";
import type { Testbed } from "../testbed/testbed.ts";
import { type Caller, CallerProcess, type CallerReport } from "./callers/caller.ts";
import { computingNeighbour } from "./computing-neighbour.ts";
import { countKilled, untilIdle } from "./database-watch.ts";
import { importNeighbour } from "./import-neighbour.ts";
import { callingNeighbours, type Neighbour } from "./neighbour.ts";
import { steadyCalls } from "./steady-calls.ts";
import { fillBucket, removeBucket, wellBehaved } from "./tenants.ts";

/** In a turn of ten seconds the 99th percentile is the twentieth of 2,000 calls. */
const turnMsMax = 10_000;

export function neighboursCommand(signal: AbortSignal): Command {
  return dataBenchmarkCommand({
    name: "neighbours",
    summary: "the lists of one tenant beside other tenants who do their worst",
    secondsDefault: 300,
    turnMsMax,
    signal,
    probes: (testbed, stack) => probes(testbed, stack, signal),
  });
}

const wellBehavedUploads = 20_000;
const p99OfAloneMax = 2;

async function probes(
  testbed: Testbed,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<readonly Probe[]> {
  const { databaseUrl, places } = testbed;
  const client = new pg.Client(databaseUrl);
  await client.connect();
  stack.defer(() => client.end());
  const uploads = Math.min(wellBehavedUploads, places.uploads);
  await fillBucket(wellBehaved, uploads, { checkout: root, databaseUrl, signal });
  stack.defer(() => removeBucket(client, wellBehaved));

  const calls = await steadyCalls(testbed);
  const steady = stack.use(new CallerProcess());
  const { port } = testbed.service;
  const startSteady = () =>
    steady.start({ kind: "steady", port, localAddress: "127.0.0.2", calls });
  const importOptions = { databaseUrl, client, uploads: places.uploads, stack, signal };
  const neighbours = [
    computingNeighbour(),
    ...callingNeighbours(testbed, stack.use(new CallerProcess())),
    await importNeighbour(importOptions),
  ];
  return neighbours.map((neighbour) => besideNeighbour(neighbour, { client, startSteady, signal }));
}

interface Context {
  readonly client: pg.Client;
  readonly startSteady: () => Promise<Caller>;
  readonly signal: AbortSignal;
}

function besideNeighbour(neighbour: Neighbour, { client, startSteady, signal }: Context): Probe {
  return {
    figures: figuresBeside(neighbour),
    async baseline(turnMs) {
      const steady = await startSteady();
      await sleep(turnMs, undefined, { signal });
      return figuresOf(await steady.stop());
    },
    async subject(turnMs) {
      const before = await countKilled(client);
      const atWork = await neighbour.start();
      const steady = await startSteady();
      await atWork.turn(turnMs);
      // Calls that were due in the turn still end and count, after the neighbour has gone.
      const [report, work] = await Promise.all([steady.stop(), atWork.stop()]);
      await untilIdle(client, signal);
      const after = await countKilled(client);
      await neighbour.cleanUp?.();
      return [...figuresOf(report), after - before, work];
    },
  };
}

function figuresBeside({ title, work, isReference = false }: Neighbour): Figure[] {
  const figures: Figure[] = [
    { title: `${title}: p99`, unit: "ms", goal: { ratioMax: p99OfAloneMax } },
    {
      title: `${title}: calls that failed or got wrong answers`,
      unit: "count",
      goal: { none: true },
    },
    { title: `${title}: database connections killed`, unit: "count", goal: { none: true } },
    { title: `${title}: ${work}`, unit: "count" },
  ];
  return isReference ? figures.map(({ title, unit }) => ({ title, unit })) : figures;
}

function figuresOf({ ends, latenciesMs }: CallerReport): number[] {
  const failed = latenciesMs.length - (ends["200"] ?? 0);
  return [percentileOf(latenciesMs, 99), failed];
}
