/** Files that only this user can read, replaced as a whole. */
import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
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

/**
 * Reads a JSON object with these members, all of them texts; undefined if there is no such file.
 * Throws if the file is damaged: `advice` says what to do then.
 */
export async function readSecretMembers<Name extends string>(
  file: string,
  members: readonly Name[],
  advice: string,
): Promise<Readonly<Record<Name, string>> | undefined> {
  try {
    const json = Object(JSON.parse(await readFile(file, "utf8"))) as Record<Name, unknown>;
    for (const member of members) {
      if (typeof json[member] === "string") continue;
      throw new Error(`got ${typeof json[member]} as ${member}, need a text`);
    }
    return json as Record<Name, string>;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(`Cannot read ${file}; ${advice}`, { cause });
  }
}
