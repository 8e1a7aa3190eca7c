import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { directoryLister } from "./directory/list-directory.ts";
import { openDirectory } from "./directory/open-directory.ts";
import { dataFoldersOf } from "./open-source.ts";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "stowage-open-")));
  for (const path of ["photo.jpg", "data/key-encryption-key", "data/postgres/password"]) {
    await mkdir(join(root, path, ".."), { recursive: true });
    await writeFile(join(root, path), "content");
  }
});
afterEach(() => rm(root, { recursive: true }));

/** @param dataDir as given to a process with an embedded database. */
async function keysIn(directory: string, dataDir: string): Promise<unknown[]> {
  const settings = { databaseUrl: undefined, dataDir: { path: dataDir, isDefault: true } };
  const dataFolders = dataFoldersOf(settings);
  const lister = directoryLister(await openDirectory({ directory, exclude: [], dataFolders }));
  const pages = await Array.fromAsync(lister.list(new AbortController().signal));
  return pages.flatMap(({ objects }) => objects.map(({ key }) => key));
}

describe("a directory that contains the data folder", () => {
  it("is listed without it, by whatever path it is given", async () => {
    await symlink("data", join(root, "link"));
    for (const dataFolder of ["data", "link"]) {
      assert.deepEqual(await keysIn(root, join(root, dataFolder)), ["photo.jpg"]);
    }
    assert.deepEqual(await keysIn(root, join(root, "missing")), [
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
      await assert.rejects(keysIn(directory, dataFolder), {
        message: /^it has keys or passwords of Stowage \(see DATA_DIR\): need another/,
      });
    }
  });

  it("is listed otherwise", async () => {
    assert.deepEqual(await keysIn(join(root, "data"), root), [
      "key-encryption-key",
      "postgres/",
      "postgres/password",
    ]);
  });
});

describe("the data folders of a process", () => {
  const pathsOf = (databaseUrl: string | undefined, isDefault: boolean) =>
    dataFoldersOf({ databaseUrl, dataDir: { path: "/data", isDefault } }).map(({ path }) => path);

  it("are DATA_DIR and the folder of moved databases, in which no directory is listed", () => {
    const all = ["/data", "/data/postgres", "/var/lib/stowage"];
    assert.deepEqual(pathsOf(undefined, true), all);
    assert.deepEqual(pathsOf("postgresql://database.example", false), all);
    assert.deepEqual(pathsOf("postgresql://database.example", true), ["/var/lib/stowage"]);
  });

  it("can be where all of a folder is refused", async () => {
    const shared = { path: root, mayHoldSources: false };
    const directory = join(root, "data");
    const opening = openDirectory({ directory, exclude: [], dataFolders: [shared] });
    await assert.rejects(opening, /has keys or passwords/);
  });
});
