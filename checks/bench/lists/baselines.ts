/** The baselines of lists, as processes on the database of the service. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { root } from "../../testing/programs.ts";
import type { BaselineCommand } from "../baselines/serve-baseline.ts";
import { WorkerProcess } from "../programs/worker-process.ts";
import { callListUploads, newestOfFolder, pageBody } from "../testbed/list-requests.ts";
import type { Testbed } from "../testbed/testbed.ts";

interface Baselines {
  readonly floorPort: number;
  readonly plainPort: number;
}

/** Starts both with as many database connections as the service has. */
export async function startBaselines(
  testbed: Testbed,
  stack: AsyncDisposableStack,
): Promise<Baselines> {
  const connectionsMax = await readConnectionsMax();
  const start = async (file: string): Promise<number> => {
    const url = new URL(`../baselines/${file}`, import.meta.url);
    const worker = stack.use(new WorkerProcess<BaselineCommand, number>(url));
    const port = await worker.run({ databaseUrl: testbed.databaseUrl, connectionsMax });
    await requireSameUploads(testbed, port, file);
    return port;
  };
  return { floorPort: await start("floor.ts"), plainPort: await start("plain.ts") };
}

/** A baseline that answers with other uploads than the service measures something else. */
async function requireSameUploads(testbed: Testbed, port: number, name: string): Promise<void> {
  const body = pageBody(newestOfFolder, testbed.places);
  const idsFrom = async (serverPort: number) =>
    (await callListUploads(testbed, serverPort, body)).uploads.map(({ uploadId }) => uploadId);
  assert.deepEqual(
    await idsFrom(port),
    await idsFrom(testbed.service.port),
    `${name} answers with other uploads`,
  );
}

/** The default of the service, which its help tells. */
async function readConnectionsMax(): Promise<number> {
  const command = ["clients/cli/main.ts", "serve", "uploads", "--help"];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root });
  const found = /DATABASE_CONNECTIONS_MAX [^(]+\(default:\s+(\d+)\s+for\s+each\s+core\)/.exec(
    stdout,
  )?.[1];
  if (found === undefined) {
    throw new Error("Cannot read the default of DATABASE_CONNECTIONS_MAX from the service's help");
  }
  return Number(found) * availableParallelism();
}
