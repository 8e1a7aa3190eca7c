/**
 * A lock that processes of this machine take in turn. SQLite takes it as a lock of the operating
 * system on the file, so it ends with the process, however that ends. Node.js itself has no such
 * locks.
 */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const pollMs = 25;

/** Longer than any request of the holder may take. */
const waitMaxMs = 90_000;

/** SQLITE_BUSY: another process holds the lock. */
const busy = 5;

/** Locks that are held until the process ends. The collector would close them otherwise. */
const held: DatabaseSync[] = [];

/** Takes the lock of this file until this process ends. Returns false if another one holds it. */
export function holdFileLock(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: 0 });
  const isTaken = take(database);
  if (isTaken) held.push(database);
  else database.close();
  return isTaken;
}

/** Runs `work` while no other process runs anything under the lock of this file. */
export async function withFileLock<Result>(
  file: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    const giveUpAtMs = performance.now() + waitMaxMs;
    while (!take(database)) {
      if (performance.now() > giveUpAtMs) {
        throw new Error(`Cannot lock ${file}: another command holds it for ${waitMaxMs} ms`);
      }
      await sleep(pollMs);
    }
    return await work();
  } finally {
    database.close();
  }
}

function take(database: DatabaseSync): boolean {
  try {
    database.exec("begin exclusive");
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return false;
    throw error;
  }
}
