import { open } from "node:fs/promises";

/**
 * Writes the names of a folder to the disk: a file that was made or renamed then survives a power
 * failure. Some file systems cannot do this; PostgreSQL accepts that too.
 */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
  } finally {
    await folder.close();
  }
}
