/** What the processes of a service hold: memory, handles and database connections. */
import { readdir, readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { withClient } from "@stowage/process/testing";
import { readMemory } from "../testing/process-usage.ts";

export interface Usage {
  /** Resident memory of all processes together. */
  readonly memoryBytes: number;
  /** Open files and sockets of all processes together. */
  readonly handles: number;
  readonly databaseConnections: number;
}

/** @param processId the process that was started; its children count too, but no PostgreSQL. */
export async function readUsage(processId: number, databaseUrl: string): Promise<Usage> {
  const processIds = [processId, ...(await workersOf(processId))];
  const each = await Promise.all(
    processIds.map(async (id) => {
      const { residentBytes } = await readMemory(id);
      const handles = await readdir(`/proc/${id}/fd`);
      return { memoryBytes: residentBytes, handles: handles.length };
    }),
  );
  return {
    memoryBytes: sum(each.map(({ memoryBytes }) => memoryBytes)),
    handles: sum(each.map(({ handles }) => handles)),
    databaseConnections: await countConnections(databaseUrl),
  };
}

/** The running child processes that are programs of ours. */
export async function workersOf(processId: number): Promise<readonly number[]> {
  const file = `/proc/${processId}/task/${processId}/children`;
  const ids = (await readFile(file, "utf8")).trim().split(" ").filter(Boolean);
  const ours = await Promise.all(
    ids.map(async (id) => {
      const command = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
      return command.includes("services/uploads") ? [Number(id)] : [];
    }),
  );
  return ours.flat();
}

async function countConnections(databaseUrl: string): Promise<number> {
  const { rowCount } = await withClient(databaseUrl, (client) =>
    client.query(
      `select from pg_stat_activity where datname = current_database()
       and application_name like 'stowage%' and pid <> pg_backend_pid()`,
    ),
  );
  return rowCount ?? 0;
}

/** A usage whose handles do not change any more: the service notices closed connections late. */
export async function steadyUsage(read: () => Promise<Usage>): Promise<Usage> {
  let usage = await read();
  for (;;) {
    await setTimeout(500);
    const next = await read();
    if (next.handles === usage.handles) return next;
    usage = next;
  }
}

/**
 * Waits until a usage exceeds an earlier one by no more than a ratio, at most for some time, and
 * returns the last usage. Connections that were in use are closed only when they have been idle.
 */
export async function settledUsage(
  read: () => Promise<Usage>,
  earlier: Usage,
  { ratioMax, waitMaxMs }: { ratioMax: number; waitMaxMs: number },
): Promise<Usage> {
  const deadlineMs = performance.now() + waitMaxMs;
  for (;;) {
    const usage = await read();
    const isSettled = Object.values(growthOf(earlier, usage)).every((ratio) => ratio <= ratioMax);
    if (isSettled || performance.now() > deadlineMs) return usage;
    await setTimeout(500);
  }
}

/** Each part of a usage as a multiple of the earlier one. */
export function growthOf(earlier: Usage, later: Usage): Record<keyof Usage, number> {
  return {
    memoryBytes: later.memoryBytes / earlier.memoryBytes,
    handles: later.handles / earlier.handles,
    databaseConnections: later.databaseConnections / earlier.databaseConnections,
  };
}

export function describeUsage({ memoryBytes, handles, databaseConnections }: Usage): string {
  const mebibytes = (memoryBytes / 2 ** 20).toFixed(1);
  return `${mebibytes} MiB, ${handles} handles, ${databaseConnections} database connections`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
