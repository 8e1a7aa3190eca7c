/**
 * The lock of a data folder's server: one of the kernel (flock) on a file. All processes of the
 * server inherit it, and the kernel releases it when the last of them has ended, however it ended.
 * `postmaster.pid` is no such lock: its process ID has a meaning in one container only.
 */
import { constants, type FileHandle, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runAsServerUser } from "./server-user.ts";

/** Longer than a server takes to stop. */
const waitMaxMs = 60_000;
const pollMs = 50;

/**
 * Takes the lock. Close the handle to release it: a server that has inherited it keeps it. Returns
 * undefined if `isOwned` says that another owner works.
 *
 * @throws if it is not free within a minute.
 */
export async function lockServer(home: string): Promise<FileHandle>;
export async function lockServer(
  home: string,
  isOwned: () => Promise<boolean>,
): Promise<FileHandle | undefined>;
export async function lockServer(
  home: string,
  isOwned: () => Promise<boolean> = async () => false,
): Promise<FileHandle | undefined> {
  const path = join(home, "server.lock");
  const { O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  // Never through a link: root does this in a folder that may be another user's.
  const file = await open(path, O_CREAT | O_NOFOLLOW | O_RDWR, 0o600);
  try {
    if (process.getuid?.() === 0) {
      // The folder's owner must be able to open it later.
      const { uid, gid } = await stat(home);
      await file.chown(uid, gid);
    }
    const deadline = performance.now() + waitMaxMs;
    while (performance.now() < deadline) {
      if (await takeLock(file, path)) return file;
      if (await isOwned()) {
        await file.close();
        return undefined;
      }
      await sleep(pollMs);
    }
    throw new Error(
      `Cannot use the database in ${home}: a server runs there that no program owns, or one on ` +
        "another machine; stop that, set DATA_DIR to another folder, or set DATABASE_URL on both",
    );
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Node.js has no flock. The command locks the open file that it inherits, thus ours. */
async function takeLock({ fd }: FileHandle, path: string): Promise<boolean> {
  const options = { timeoutMs: 10_000, inherited: fd };
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
