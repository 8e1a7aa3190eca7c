/** What happens to the processes of the service, and to its disk. */
import { execFile } from "node:child_process";
import { mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeTemporaryFolder, until } from "@stowage/process/testing";
import type { Fault } from "../episodes.ts";
import { workersOf } from "../usage.ts";
import { largeImport } from "./data.ts";
import { areAllRight, type Load, makeCall } from "./load.ts";

/** The service has more to do than it can: it says so. */
export const busy = /: (?:SERVER_BUSY|TOO_MANY_CALLS)$/;

/** Only so many trees are sent at once. */
export const busyTrees = /tree: (?:SERVER_BUSY|TOO_MANY_CALLS)$/;

/** What callers may get while the database fails. A stream that has begun can only break off. */
export const outage =
  /: (?:(?:DATABASE|DENYLIST)_UNAVAILABLE|SERVER_BUSY|TOO_MANY_CALLS|failed)$|tree: broken/;

export function killedWorker({ world }: Load): Fault {
  return {
    name: "kill -9 of a worker",
    mayGet: /: (?:SERVER_BUSY|TOO_MANY_CALLS|DENYLIST_UNAVAILABLE|broken.*)$/,
    async run() {
      const before = await workersOf(world.service.processId);
      process.kill(before[0]!, "SIGKILL");
      await until("another worker runs", async () => {
        const now = await workersOf(world.service.processId);
        return now.length === before.length && !now.includes(before[0]!);
      });
      return [];
    },
  };
}

export function callsAtOnce(load: Load): Fault {
  return {
    name: "400 calls at once",
    mayGet: busy,
    async run() {
      const request = (index: number) => load.requests[index % load.requests.length]!;
      const calls = Array.from({ length: 400 }, (_, index) => makeCall(load, request(index)));
      await Promise.all(calls);
      return [];
    },
  };
}

/** Enough for a new cluster, the data and their write-ahead log, with some room. */
const diskSize = "200m";
const run = promisify(execFile);

/** Mounts a small file system of its own in the folder. */
export async function mountDisk(folder: string): Promise<string> {
  const disk = join(folder, "disk");
  await mkdir(disk);
  await run("mount", ["-t", "tmpfs", "-o", `size=${diskSize}`, "tmpfs", disk]);
  return disk;
}

/** Containers may not allow it, even to root. */
export async function canMountDisk(): Promise<boolean> {
  const folder = await makeTemporaryFolder();
  try {
    await unmountDisk(await mountDisk(folder.path));
    return true;
  } catch {
    return false;
  } finally {
    await folder.remove();
  }
}

export async function unmountDisk(disk: string): Promise<void> {
  await run("umount", ["--lazy", disk]);
}

/** Reads that need no space on it are answered, others are unavailable, and no import succeeds. */
export function fullDisk(load: Load, disk: string): Fault {
  return {
    name: "a full disk",
    mayGet: outage,
    async run() {
      const filling = join(disk, "filling");
      const { bavail, bsize } = await statfs(disk);
      await writeFile(filling, Buffer.alloc(bavail * bsize - 100_000));
      await areAllRight(load);
      await makeCall(load, load.largeTree);
      const isImported = await load.world.load(largeImport());
      await areAllRight(load);
      await rm(filling);
      await until("all calls are right", () => areAllRight(load));
      return isImported ? ["an import succeeded"] : [];
    },
  };
}
