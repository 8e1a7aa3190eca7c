/** The newest 50 of a large folder, by everyone, at several numbers of connections. */

import { runRounds } from "../frame/rounds.ts";
import { ratiosOf, type Spread, spreadOf } from "../frame/statistics.ts";
import { turnMsFor } from "../frame/turn-time.ts";
import { Measurement } from "../load/measurement.ts";
import { spentMs } from "../programs/processor-time.ts";
import { listRequests } from "../stage/call-service.ts";
import type { DataBenchmarkRun } from "../stage/data-benchmark.ts";
import { newestOfFolder, pageRequest } from "../stage/list-shapes.ts";
import type { Contestant, Contestants } from "./contestants.ts";
import { openWorkClock } from "./work-clock.ts";

export interface NewestRow {
  readonly connections: number;
  readonly contestant: Contestant;
  readonly measurement: Measurement;
  /** Processor time for a request, in the server itself and in its database connections. */
  readonly serverMicroseconds: number;
  readonly databaseMicroseconds: number;
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
    all.map((contestant) => ({
      connections,
      contestant,
      measurement: new Measurement(),
      requests: 0,
      serverMs: 0,
      databaseMs: 0,
    })),
  );
  await using clock = await openWorkClock(stage.databaseUrl);
  const milliseconds = turnMsFor({ seconds, contestants: turns.length, roundsMin, turnMsMax });
  const order = { kind: "closed loop", requests, milliseconds } as const;
  await runRounds(turns, { seconds, roundsMin, signal }, async (turn) => {
    const { connections, contestant } = turn;
    const { port } = contestant;
    const before = await clock.read(contestant);
    const report = await stage.load.obey({ ...order, connections, port });
    const after = await clock.read(contestant);
    if (after.database.size === 0) {
      throw new Error(`Cannot find the database connections of ${contestant.applicationName}`);
    }
    turn.measurement.add(report);
    turn.requests += report.latenciesMs.length;
    turn.serverMs += spentMs(before.server, after.server);
    turn.databaseMs += spentMs(before.database, after.database);
  });
  return turns.map((turn) => {
    const ratioTo = (other: Contestant) => {
      const beside = turns.find(
        ({ connections, contestant }) => connections === turn.connections && contestant === other,
      )!;
      return spreadOf(ratiosOf(turn.measurement.rates, beside.measurement.rates));
    };
    return {
      ...turn,
      serverMicroseconds: (turn.serverMs / turn.requests) * 1000,
      databaseMicroseconds: (turn.databaseMs / turn.requests) * 1000,
      ofFloor: ratioTo(floor),
      ofPlain: ratioTo(plain),
    };
  });
}
