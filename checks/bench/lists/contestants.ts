/** Who answers list requests: the service, and the yardsticks beside it on the same database. */
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { root } from "../../testing/programs.ts";
import { ForkedProgram } from "../programs/forked-program.ts";
import type { Stage } from "../stage/stage.ts";
import type { YardstickOrder } from "../yardsticks/serve-yardstick.ts";

export interface Contestant {
  readonly name: string;
  readonly port: number;
  readonly processId: number;
  /** What PostgreSQL shows of its connections. */
  readonly applicationName: string;
}

export interface Contestants extends AsyncDisposable {
  readonly service: Contestant;
  readonly floor: Contestant;
  readonly plain: Contestant;
  /** Shows how fast the load generator can be. */
  readonly fixedBody: Contestant;
  /** Of each of the others. */
  readonly databaseConnections: number;
}

export async function openContestants(stage: Stage): Promise<Contestants> {
  const connectionsMax = await readConnectionsMax();
  await using opening = new AsyncDisposableStack();
  const start = async (name: string, file: string): Promise<Contestant> => {
    const program = new ForkedProgram<YardstickOrder, number>(
      new URL(`../yardsticks/${file}`, import.meta.url),
    );
    opening.use(program);
    const { databaseUrl, places } = stage;
    const port = await program.obey({ databaseUrl, connectionsMax, bucketId: places.bucketId });
    return { name, port, processId: program.processId, applicationName: name };
  };
  const { port, processId } = stage.service;
  const started = {
    service: { name: "service", port, processId, applicationName: "stowage-uploads" },
    floor: await start("floor", "floor.ts"),
    plain: await start("plain", "plain.ts"),
    fixedBody: await start("fixed-body", "fixed-body.ts"),
  };
  const opened = opening.move();
  return {
    ...started,
    databaseConnections: connectionsMax,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What the service has unless it is told otherwise: by its own help. */
async function readConnectionsMax(): Promise<number> {
  const command = ["services/uploads/main.ts", "--help"];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root });
  const found = /^ *DATABASE_CONNECTIONS_MAX .*\(default: (\d+) for each core\)/m.exec(stdout)?.[1];
  if (found === undefined) {
    throw new Error("Cannot read the default of DATABASE_CONNECTIONS_MAX from the service's help");
  }
  return Number(found) * availableParallelism();
}
