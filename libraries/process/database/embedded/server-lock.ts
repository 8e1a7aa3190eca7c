/**
 * The lock of a cluster's server. Only one server may write to a cluster, also if containers that
 * cannot see each other's processes share the folder. `postmaster.pid` does not ensure that, since
 * its process ID has a meaning in one container only.
 *
 * The lock is one of the kernel (flock) on a file beside the cluster. The program that starts the
 * server takes it, and all processes of the server inherit it. The kernel releases it when the last
 * of them has ended, however it ended. Programs that are killed do not affect it.
 */
import { constants, type FileHandle, open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import { endOrphans } from "./orphans.ts";
import { isRunning, readPostmaster } from "./postmaster.ts";
import { runAsServerUser, type ServerUser } from "./server-user.ts";

interface LockedCluster {
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  readonly folder: string;
}

/** A server that ends removes its `postmaster.pid` before it releases the lock. */
const waitMaxMs = 10_000;
const pollMs = 50;

/**
 * Takes the lock. Close the handle to release it: a server that has inherited it keeps it. Returns
 * undefined if a server runs that this program can see, which has the lock.
 *
 * @throws if a server has the lock that this program cannot see.
 */
export async function lockUnlessRunning(cluster: LockedCluster): Promise<FileHandle | undefined> {
  const deadline = performance.now() + waitMaxMs;
  for (;;) {
    const found = await readPostmaster(cluster.folder);
    if (found && (await isRunning(found, cluster.folder))) return undefined;
    const lock = await tryLock(join(dirname(cluster.folder), "server.lock"));
    if (lock) return lock;
    if (performance.now() > deadline) {
      throw new Error(
        `Cannot use the database in ${cluster.folder}: its server runs where this program cannot ` +
          "see it, so another container or machine uses this folder; stop that one, set DATA_DIR " +
          "to another folder, or set DATABASE_URL on both to share a database",
      );
    }
    await endOrphans(cluster);
    await sleep(pollMs);
  }
}

async function tryLock(path: string): Promise<FileHandle | undefined> {
  const file = await openLockFile(path);
  try {
    if (await takeLock(file, path)) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}

/** Never through a link: root does this in a folder that may be another user's. */
async function openLockFile(path: string): Promise<FileHandle> {
  const { O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  const file = await open(path, O_CREAT | O_NOFOLLOW | O_RDWR, 0o600);
  if (process.getuid?.() === 0) {
    // The folder's owner must be able to open it later.
    const { uid, gid } = await stat(dirname(path));
    await file.chown(uid, gid);
  }
  return file;
}

/** Node.js has no flock. The command locks the open file that it inherits, thus ours. */
async function takeLock({ fd }: FileHandle, path: string): Promise<boolean> {
  const options = { timeoutMs: waitMaxMs, inherited: fd };
  const { code, output } = await runAsServerUser(undefined, "flock", ["-n", "3"], options).catch(
    (cause) => {
      const advice = "install flock, a part of util-linux, or give DATABASE_URL";
      throw new Error(`Cannot lock ${path}: ${advice}`, { cause });
    },
  );
  if (code === 0) return true;
  if (code === 1 && output === "") return false;
  throw new Error(`Cannot lock ${path}: ${output || code}`);
}
