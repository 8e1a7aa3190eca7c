/** Every sort of every part of the bucket: its first page, a late one, and the floor's first. */
import { runRounds } from "../frame/rounds.ts";
import { ratiosOf, type Spread, spreadOf } from "../frame/statistics.ts";
import { turnMsFor } from "../frame/turn-time.ts";
import { Measurement } from "../load/measurement.ts";
import { listRequests } from "../stage/call-service.ts";
import type { DataBenchmarkRun } from "../stage/data-benchmark.ts";
import { type ListShape, pageRequest } from "../stage/list-shapes.ts";
import type { Stage } from "../stage/stage.ts";
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
  /** How much longer the first page takes than that of the same list in other data. */
  readonly timeOfOther: Spread | undefined;
}

const connections = 8;
const roundsMin = 2;
const turnMsMax = 150;

/**
 * @param pages of the newest of the folder first.
 * @param other with other data, to compare with.
 */
export async function measureSorts(
  { stage, seconds, signal }: DataBenchmarkRun,
  { service, floor }: Contestants,
  pages: readonly SortedPages[],
  other: Stage | undefined,
): Promise<readonly SortRow[]> {
  const shapes = pages.map(({ shape, first, late }) => {
    return {
      shape,
      first: turnOf(stage, service.port, first),
      late: turnOf(stage, service.port, late),
      floor: turnOf(stage, floor.port, first),
      other: other && turnOf(other, other.service.port, pageRequest(shape, other.places)),
    };
  });
  // What is compared comes right after each other.
  const turns = shapes
    .flatMap((turnsOf) => [turnsOf.first, turnsOf.late, turnsOf.floor, turnsOf.other])
    .filter((turn) => turn !== undefined);
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
  return shapes.map(({ shape, first, ...turnsOf }) => {
    const { rates } = first.measurement;
    return {
      shape,
      first: first.measurement,
      timeOfNewest: spreadOf(ratiosOf(newest, rates)),
      ofFloor: spreadOf(ratiosOf(rates, turnsOf.floor.measurement.rates)),
      lateTimeOfFirst: spreadOf(ratiosOf(rates, turnsOf.late.measurement.rates)),
      timeOfOther: turnsOf.other && spreadOf(ratiosOf(turnsOf.other.measurement.rates, rates)),
    };
  });
}

function turnOf(stage: Stage, port: number, body: object) {
  return { port, requests: listRequests(stage, body), measurement: new Measurement() };
}
