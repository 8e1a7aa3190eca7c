import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
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
});
