/** Every sort of every part of the bucket: its first page, a late one, and the floor's first. */
import { runRounds } from "../frame/rounds.ts";
import { ratiosOf, type Spread, spreadOf } from "../frame/statistics.ts";
import { turnMsFor } from "../frame/turn-time.ts";
import { Measurement } from "../load/measurement.ts";
import { listRequests } from "../stage/call-service.ts";
import type { DataBenchmarkRun } from "../stage/data-benchmark.ts";
import type { ListShape } from "../stage/list-shapes.ts";
import type { Contestants } from "./contestants.ts";
import type { SortedPages } from "./sorted-pages.ts";

export interface SortRow {
  readonly shape: ListShape;
  readonly first: Measurement;
  /** How much longer the first page takes than the newest of the folder. */
  readonly timeOfNewest: Spread;
  /** Requests for each of the floor's. */
  readonly ofFloor: Spread;
  /** How much longer the late page takes than the first. */
  readonly lateTimeOfFirst: Spread;
}

const connections = 8;
const roundsMin = 2;
const turnMsMax = 150;

/** @param pages of the newest of the folder first. */
export async function measureSorts(
  { stage, seconds, signal }: DataBenchmarkRun,
  { service, floor }: Contestants,
  pages: readonly SortedPages[],
): Promise<readonly SortRow[]> {
  const shapes = pages.map(({ shape, first, late }) => {
    const turnOf = ({ port }: { port: number }, body: object) => ({
      port,
      requests: listRequests(stage, body),
      measurement: new Measurement(),
    });
    return {
      shape,
      first: turnOf(service, first),
      late: turnOf(service, late),
      floor: turnOf(floor, first),
    };
  });
  // What is compared comes right after each other.
  const turns = shapes.flatMap(({ first, late, floor: beside }) => [first, late, beside]);
  const milliseconds = turnMsFor({ seconds, contestants: turns.length, roundsMin, turnMsMax });
  const order = { kind: "closed loop", connections, milliseconds } as const;
  await runRounds(
    turns,
    { seconds, roundsMin, signal },
    async ({ port, requests, measurement }) => {
      measurement.add(await stage.load.obey({ ...order, port, requests }));
    },
  );
  const newest = shapes[0]!.first.measurement.rates;
  return shapes.map(({ shape, first, late, floor: beside }) => {
    const { rates } = first.measurement;
    return {
      shape,
      first: first.measurement,
      timeOfNewest: spreadOf(ratiosOf(newest, rates)),
      ofFloor: spreadOf(ratiosOf(rates, beside.measurement.rates)),
      lateTimeOfFirst: spreadOf(ratiosOf(rates, late.measurement.rates)),
    };
  });
}
