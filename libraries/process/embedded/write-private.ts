/** Writes files with secrets. */
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { ServerUser } from "./server-user.ts";

/**
 * Writes a file that only its owner (and root) can read. After a power failure too, there is all of
 * it or what was there before.
 */
export async function writePrivate(
  path: string,
  text: string,
  owner: ServerUser | undefined,
): Promise<void> {
  const partial = `${path}.partial`;
  await rm(partial, { force: true });
  const file = await open(partial, "wx", 0o600);
  try {
    if (owner) await file.chown(owner.uid, owner.gid);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, path);
  await syncFolder(dirname(path));
}

/** Keeps the new name of a file. Some file systems cannot do this: PostgreSQL accepts that too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
  } finally {
    await folder.close();
  }
}
