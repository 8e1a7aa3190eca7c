/**
 * Locks of the kernel (flock) on files of the embedded database. All processes that inherit the
 * open file share the lock, and the kernel releases it when the last of them has ended, however it
 * ended.
 */
import { constants, type FileHandle, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { runAsServerUser } from "./server-user.ts";

/**
 * Takes a lock. Close the handle to release it.
 *
 * @returns undefined if it is not free within that time.
 */
export async function lockFile(
  path: string,
  mode: "exclusive" | "shared",
  waitMaxSeconds: number,
): Promise<FileHandle | undefined> {
  const file = await openLockFile(path);
  try {
    // Node.js has no flock. The command locks the open file that it inherits, thus ours.
    const parameters = [`--${mode}`, `--timeout=${waitMaxSeconds}`, "3"];
    const options = { timeoutMs: waitMaxSeconds * 1000 + 10_000, inherited: file.fd };
    const { code, output } = await runAsServerUser(undefined, "flock", parameters, options);
    if (code === 0) return file;
    if (code !== 1 || output !== "") throw new Error(output || `flock ended with ${code}`);
  } catch (cause) {
    await file.close();
    const advice = "it needs flock, a part of util-linux; or give DATABASE_URL";
    throw new Error(`Cannot lock ${path} (${advice})`, { cause });
  }
  await file.close();
  return undefined;
}

/** Never through a link: root does this in a folder that may be another user's. */
export async function openLockFile(path: string): Promise<FileHandle> {
  const { O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  const file = await open(path, O_CREAT | O_NOFOLLOW | O_RDWR, 0o600);
  if (process.getuid?.() === 0) {
    // The folder's owner must be able to open it later.
    const { uid, gid } = await stat(dirname(path));
    await file.chown(uid, gid);
  }
  return file;
}
