import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { withFileLock } from "./file-lock.ts";

describe("withFileLock()", () => {
  let folder: string;
  let lock: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "stowage-lock-"));
    lock = join(folder, "a.lock");
  });
  after(() => rm(folder, { recursive: true }));

  /** Another process that takes the lock, says so, and runs the text. */
  async function holder(work: string) {
    const program = `
      import { withFileLock } from ${JSON.stringify(import.meta.resolve("./file-lock.ts"))};
      await withFileLock(${JSON.stringify(lock)}, async () => {
        console.log("has the lock");
        ${work}
      });`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
    await once(child.stdout, "data");
    return child;
  }

  it("lets one process after the other do its work", async () => {
    const file = join(folder, "count");
    await writeFile(file, "0");
    const addOne = () =>
      withFileLock(lock, async () => {
        await writeFile(file, `${Number(await readFile(file, "utf8")) + 1}`);
      });
    const other = await holder(`
      const { readFileSync, writeFileSync } = await import("node:fs");
      const before = readFileSync(${JSON.stringify(file)}, "utf8");
      await new Promise((resolve) => setTimeout(resolve, 200));
      writeFileSync(${JSON.stringify(file)}, String(Number(before) + 1));`);
    await Promise.all([once(other, "close"), ...Array.from({ length: 5 }, addOne)]);
    assert.equal(await readFile(file, "utf8"), "6");
  });

  it("is free again when its holder is killed", async () => {
    const other = await holder("await new Promise(() => setInterval(() => {}, 1000));");
    const waiting = withFileLock(lock, async () => "got it");
    other.kill("SIGKILL");
    assert.equal(await waiting, "got it");
  });

  it("is free again when the work fails", async () => {
    await assert.rejects(
      withFileLock(lock, () => Promise.reject(new Error("no"))),
      /no/,
    );
    assert.equal(await withFileLock(lock, async () => 1), 1);
  });
});
