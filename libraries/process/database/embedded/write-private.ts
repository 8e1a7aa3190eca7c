/** Writes files with secrets. */
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../../sync-folder.ts";
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
