import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { openDirectory } from "./open-source.ts";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "stowage-open-")));
  for (const path of ["photo.jpg", "data/key-encryption-key", "data/postgres/password"]) {
    await mkdir(join(root, path, ".."), { recursive: true });
    await writeFile(join(root, path), "content");
  }
});
afterEach(() => rm(root, { recursive: true }));

async function keysIn(directory: string, dataFolders: readonly string[]): Promise<unknown[]> {
  const lister = await openDirectory({ directory, exclude: [] }, dataFolders);
  const range = { after: undefined, until: undefined };
  const pages = await Array.fromAsync(lister.list(range, new AbortController().signal));
  return pages.flatMap(({ objects }) => objects.map(({ key }) => key));
}

describe("a directory that contains the data folder", () => {
  it("is listed without it, by whatever path it is given", async () => {
    await symlink("data", join(root, "link"));
    for (const dataFolder of ["data", "link"]) {
      assert.deepEqual(await keysIn(root, [join(root, dataFolder)]), ["photo.jpg"]);
    }
    assert.deepEqual(await keysIn(root, [join(root, "missing")]), [
      "data/",
      "data/key-encryption-key",
      "data/postgres/",
      "data/postgres/password",
      "photo.jpg",
    ]);
  });
});

describe("a directory in the data folder", () => {
  it("is refused if it is that folder or in the embedded database", async () => {
    const dataFolder = join(root, "data");
    for (const directory of [dataFolder, join(dataFolder, "postgres")]) {
      await assert.rejects(keysIn(directory, [dataFolder]), {
        message: /^Cannot list \/.*: it is a data folder of Stowage, with its keys and passwords/,
      });
    }
  });

  it("is listed otherwise", async () => {
    assert.deepEqual(await keysIn(join(root, "data"), [root]), [
      "key-encryption-key",
      "postgres/",
      "postgres/password",
    ]);
  });
});
