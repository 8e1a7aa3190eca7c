import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import type { ReadEntries } from "./key-order-walk.ts";
import { directoryLister } from "./list-directory.ts";

it("a directory that a link replaces just before it is read is not followed", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "stowage-replaced-"));
  context.after(() => rm(folder, { recursive: true }));
  const root = join(folder, "root");
  for (const path of ["root/a/file", "root/b", "outside/secret"]) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), "content");
  }
  const readEntries: ReadEntries = async (location) => {
    if (location.toString() === join(root, "a")) {
      await rename(location, join(folder, "moved"));
      await symlink(join(folder, "outside"), location);
    }
    return await readdir(location, { withFileTypes: true, encoding: "buffer" });
  };
  const lister = directoryLister({ root, excluded: new Set(), readEntries });
  const pages = await Array.fromAsync(lister.list(new AbortController().signal));
  const keys = pages.flatMap(({ objects }) => objects.map(({ key }) => key));
  assert.deepEqual(keys, ["b"]);
});
