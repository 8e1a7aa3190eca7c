/** Files that only this user can read, replaced as a whole. */
import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes the text to a file of mode 600. Readers see the whole old text or the whole new one, also
 * after a power failure. `folderMode` is for folders that do not exist yet.
 */
export async function writeSecretFile(
  file: string,
  text: string,
  folderMode = 0o777,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: folderMode });
  const partial = `${file}.${randomBytes(6).toString("hex")}.partial`;
  try {
    const handle = await open(partial, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
