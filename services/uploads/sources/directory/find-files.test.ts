import assert from "node:assert/strict";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, it } from "node:test";
import { keyOfBytes } from "../keys.ts";
import { findFiles, readFiles } from "./find-files.ts";
import { directoryLister } from "./list-directory.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "stowage-find-"));
});
afterEach(() => rm(root, { recursive: true }));

it("a file is there exactly if a listing has it", async () => {
  await mkdir(join(root, "folder/inner"), { recursive: true });
  await mkdir(join(root, "left-out"));
  for (const name of ["folder/file", "folder/inner/deep", "left-out/file"]) {
    await writeFile(join(root, name), "");
  }
  const odd = Buffer.from("b\xff", "latin1");
  await writeFile(Buffer.concat([Buffer.from(`${root}/`), odd]), "");
  await symlink("folder", join(root, "link"));
  await symlink("folder/file", join(root, "link-to-file"));
  const keys = [
    ["folder/file", "present"],
    ["folder/inner/deep", "present"],
    [keyOfBytes(odd), "present"],
    ["folder/none", "absent"],
    ["none/none", "absent"],
    ["folder/file/none", "absent"],
    ["folder/inner", "absent"],
    ["link/file", "absent"],
    ["link-to-file", "absent"],
    ["left-out/file", "absent"],
  ] as const;
  const excluded = new Set([join(root, "left-out")]);
  assert.deepEqual(
    await findFiles(
      keys.map(([key]) => key),
      { root, excluded },
    ),
    keys.map(([, presence]) => presence),
  );
});

it("a file of a folder that was renamed is gone", async () => {
  await mkdir(join(root, "before"));
  await writeFile(join(root, "before/file"), "");
  await rename(join(root, "before"), join(root, "after"));
  const found = await findFiles(["before/file", "after/file"], { root, excluded: new Set() });
  assert.deepEqual(found, ["absent", "present"]);
});

it("reads files and directories as a listing has them", async () => {
  await mkdir(join(root, "folder"));
  await writeFile(join(root, "folder/file"), "four");
  const keys = ["folder/file", "folder", "none"];
  const [file, folder, ...others] = await readFiles(keys, { root, excluded: new Set() });
  const { objects } = await firstPage(root);
  assert.deepEqual([folder, file, ...others], objects);
});

async function firstPage(directory: string) {
  const { signal } = new AbortController();
  const pages = directoryLister({ root: directory, excluded: new Set() }).list(signal);
  return (await pages[Symbol.asyncIterator]().next()).value;
}
