/** The newest 50 of a large folder, by everyone, at several numbers of connections. */

import { runRounds } from "../frame/rounds.ts";
import { ratiosOf, type Spread, spreadOf } from "../frame/statistics.ts";
import { turnMsFor } from "../frame/turn-time.ts";
import { Measurement } from "../load/measurement.ts";
import { listRequests } from "../stage/call-service.ts";
import type { DataBenchmarkRun } from "../stage/data-benchmark.ts";
import { newestOfFolder, pageRequest } from "../stage/list-shapes.ts";
import type { Contestant, Contestants } from "./contestants.ts";

export interface NewestRow {
  readonly connections: number;
  readonly contestant: Contestant;
  readonly measurement: Measurement;
  /** Requests for each of the floor's, and of plain's. */
  readonly ofFloor: Spread;
  readonly ofPlain: Spread;
}

const widths = [1, 8, 32];
const roundsMin = 3;
const turnMsMax = 500;

export async function measureNewest(
  { stage, seconds, signal }: DataBenchmarkRun,
  { service, floor, plain }: Contestants,
): Promise<readonly NewestRow[]> {
  const requests = listRequests(stage, pageRequest(newestOfFolder, stage.places));
  const all = [service, floor, plain];
  const turns = widths.flatMap((connections) =>
    all.map((contestant) => ({ connections, contestant, measurement: new Measurement() })),
  );
  const milliseconds = turnMsFor({ seconds, contestants: turns.length, roundsMin, turnMsMax });
  const order = { kind: "closed loop", requests, milliseconds } as const;
  await runRounds(turns, { seconds, roundsMin, signal }, async (turn) => {
    const { connections, contestant } = turn;
    turn.measurement.add(await stage.load.obey({ ...order, connections, port: contestant.port }));
  });
  return turns.map((turn) => {
    const ratioTo = (other: Contestant) => {
      const beside = turns.find(
        ({ connections, contestant }) => connections === turn.connections && contestant === other,
      )!;
      return spreadOf(ratiosOf(turn.measurement.rates, beside.measurement.rates));
    };
    return { ...turn, ofFloor: ratioTo(floor), ofPlain: ratioTo(plain) };
  });
}
