import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { makeTemporaryFolder } from "@stowage/process/testing";
import { FileChangedError, openFile } from "./open-file.ts";

// Unlike most file systems on disk, one in memory stores years after 9999.
const parent = existsSync("/dev/shm") ? "/dev/shm" : undefined;

describe("a file of a directory", () => {
  it("is opened if it has the indexed size and time, and refused otherwise", async () => {
    const folder = await makeTemporaryFolder(parent);
    const path = join(folder.path, "file");
    const indexed = { sizeBytes: 5, updatedAtMicros: 1_700_000_000_123_456n };
    try {
      await writeFile(path, "five!");
      await utimes(path, 1_700_000_000.123456, 1_700_000_000.123456);
      const file = await openFile(folder.path, Buffer.from("file"), indexed);
      assert.equal(await file.readFile("utf8"), "five!");
      await file.close();

      for (const sizeBytes of [4, 6]) {
        const opening = openFile(folder.path, Buffer.from("file"), { ...indexed, sizeBytes });
        await assert.rejects(opening, FileChangedError, `${sizeBytes} bytes`);
      }
      const inYear14645 = 400_000_000_000;
      for (const seconds of [1_700_000_001, -1, inYear14645]) {
        await utimes(path, seconds, seconds);
        const opening = openFile(folder.path, Buffer.from("file"), indexed);
        await assert.rejects(opening, FileChangedError, `${seconds}`);
      }
    } finally {
      await folder.remove();
    }
  });

  it("is unavailable if its directory is gone or the file may not be read", async () => {
    const folder = await makeTemporaryFolder();
    const path = join(folder.path, "file");
    const open = (directory: string, name: string) =>
      openFile(directory, Buffer.from(name), { sizeBytes: 0, updatedAtMicros: 0n });
    const unavailable = { reason: "CONTENT_UNAVAILABLE" };
    try {
      await writeFile(path, "");
      await chmod(path, 0);
      await asOrdinaryUser(async () => {
        await assert.rejects(open(folder.path, "file"), unavailable);
        await assert.rejects(open(folder.path, "removed"), FileChangedError);
        await assert.rejects(open(folder.path, "x".repeat(5000)), FileChangedError);
      });
      await assert.rejects(open(join(folder.path, "unmounted"), "file"), unavailable);
    } finally {
      await folder.remove();
    }
  });

  it("is never one outside, while a folder above it becomes a link and back", async () => {
    const folder = await makeTemporaryFolder();
    const at = (name: string) => join(folder.path, name);
    const indexed = { sizeBytes: 4, updatedAtMicros: 1_700_000_000_000_000n };
    await mkdir(at("source/folder"), { recursive: true });
    await mkdir(at("outside"));
    for (const [name, text] of [
      ["source/folder/file", "ours"],
      ["outside/file", "hers"],
    ] as const) {
      await writeFile(at(name), text);
      await utimes(at(name), 1_700_000_000, 1_700_000_000);
    }
    await symlink(at("outside"), at("link"));
    const exchanging = new Worker(exchangeFolderAndLink, { eval: true, workerData: folder.path });
    try {
      // Without the check, about one in fifty of these attempts opens the file outside.
      for (let refused = 0; refused < 2000; ) {
        const opening = openFile(at("source"), Buffer.from("folder/file"), indexed);
        const file = await opening.catch((error) => assert.ok(error instanceof FileChangedError));
        if (file === undefined) {
          refused += 1;
          continue;
        }
        const text = await file.readFile("utf8").finally(() => file.close());
        assert.equal(text, "ours");
      }
    } finally {
      await exchanging.terminate();
      await folder.remove();
    }
  });
});

/** Root may read everything. */
async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return await work();
  process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** In a thread of its own, so that it also runs between two steps of opening. */
const exchangeFolderAndLink = `
  const { renameSync } = require("node:fs");
  const { workerData: parent } = require("node:worker_threads");
  const [folder, link, kept] = ["source/folder", "link", "kept"].map((name) => parent + "/" + name);
  for (;;) {
    renameSync(folder, kept);
    renameSync(link, folder);
    renameSync(folder, link);
    renameSync(kept, folder);
  }`;
