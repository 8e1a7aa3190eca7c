/** A directory like those of users, and its contents. */
import { mkdir, readdir, symlink, utimes, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";

/** The time of the first file. Each further one is a second younger. */
const firstTimeMs = Date.parse("2026-01-01T00:00:00Z");

const folders = ["", "a", "a b", "a-b", "a/deeper/down", "Grüße 🙂", 'it\'s "quoted" $HOME %_\\'];

/** Makes 63 files in nested folders with awkward names. */
export async function makeSampleFiles(directory: string): Promise<void> {
  let count = 0;
  for (const folder of folders) {
    await mkdir(join(directory, folder), { recursive: true });
    for (let number = 0; number < 9; number++) {
      const file = join(directory, folder, `file ${number}.${number % 2 ? "txt" : "jpg"}`);
      await writeFile(file, "x".repeat(count));
      const time = new Date(firstTimeMs + count * 1000);
      await utimes(file, time, time);
      count += 1;
    }
  }
  await mkdir(join(directory, "empty"));
  await symlink("a", join(directory, "link to a"));
}

export interface FoundFile {
  readonly filename: string;
  /** Of its folder. */
  readonly path: string;
}

/** The files of a directory tree. Does not follow links. */
export async function filesIn(directory: string): Promise<FoundFile[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => ({ filename: name, path: pathOf(directory, parentPath) }));
}

/** A folder and its folders, by name in code point order. */
export interface FoundFolder {
  readonly path: string;
  readonly children: readonly FoundFolder[];
}

/** The folders of a directory tree. */
export async function foldersIn(directory: string, top = directory): Promise<FoundFolder[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names.sort(byCodePoints).map(async (name) => {
      const folder = join(directory, name);
      return { path: pathOf(top, folder), children: await foldersIn(folder, top) };
    }),
  );
}

function pathOf(top: string, folder: string): string {
  return `/${relative(top, folder)}`;
}

function byCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(basename(a)), Buffer.from(basename(b)));
}
