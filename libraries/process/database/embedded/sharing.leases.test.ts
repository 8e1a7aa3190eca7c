import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { temporaryFolder } from "../../testing/sample-program.ts";
import { startProcess } from "../../testing/start-process.ts";
import { acquireLease, isLeased, releaseLease } from "./sharing.ts";

describe("leases", () => {
  it("count until the last is returned, also several of one process", async (test) => {
    const folder = await temporaryFolder(test);
    const leases = [await acquireLease(folder), await acquireLease(folder)];
    for (const lease of leases) {
      assert.equal(await isLeased(folder), true);
      await releaseLease(lease);
    }
    assert.equal(await isLeased(folder), false);
  });

  it("of processes that are gone are removed", async (test) => {
    const folder = await temporaryFolder(test);
    const child = startProcess("/bin/true", []);
    await child.ended;
    await writeFile(join(folder, `${child.processId}-1`), `${child.processId} 1 boot`);
    assert.equal(await isLeased(folder), false);
    assert.deepEqual(await readdir(folder), []);
  });

  it("do not pass to a later process with the same number", async (test) => {
    const folder = await temporaryFolder(test);
    const { file } = await acquireLease(folder);
    const [processId, startTicks, bootId] = (await readFile(file, "utf8")).split(" ");
    for (const other of [
      `${processId} ${Number(startTicks) - 1} ${bootId}`,
      `${processId} ${startTicks} 00000000-0000-0000-0000-000000000000`,
    ]) {
      await writeFile(file, other);
      assert.equal(await isLeased(folder), false);
    }
  });

  it("survive anything else in their folder", async (test) => {
    const folder = await temporaryFolder(test);
    await acquireLease(folder);
    await writeFile(join(folder, "notes.txt"), "text");
    assert.equal(await isLeased(folder), true);
  });

  it("do not seem to be gone for lack of file handles", async (test) => {
    const folder = await temporaryFolder(test);
    const { file } = await acquireLease(folder);
    const sharing = new URL("./sharing.ts", import.meta.url);
    // Asks with no spare file handle, and with more and more.
    const text = `
      import { openSync, closeSync } from "node:fs";
      import { isLeased } from ${JSON.stringify(sharing.href)};
      const opened = [];
      try { for (;;) opened.push(openSync("/dev/null")); } catch {}
      const answers = [];
      for (let spare = 0; spare < 4; spare++) {
        answers.push(await isLeased(${JSON.stringify(folder)}).catch(({ code }) => code));
        closeSync(opened.pop());
      }
      for (const handle of opened) closeSync(handle);
      console.log(answers.join());`;
    const limited = startProcess("/bin/sh", [
      "-c",
      'ulimit -n 100; exec "$@"',
      "sh",
      process.execPath,
      "--input-type=module-typescript",
      "--eval",
      text,
    ]);
    assert.equal((await limited.ended).stdout, "EMFILE,true,true,true\n");
    assert.deepEqual(await readdir(folder), [basename(file)]);
  });
});
