import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { temporaryFolder } from "../../testing/sample-program.ts";
import { startNode } from "../../testing/start-process.ts";
import { withFolderLock } from "./sharing.ts";

const lock = { timeoutMs: 30_000 };

function startHolder(folder: string) {
  const text = `
    import { withFolderLock } from "./sharing.ts";
    await withFolderLock(process.argv[1], async () => {
      console.log("held");
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    }, { timeoutMs: 30_000 });`;
  return startNode(["--input-type=module-typescript", "--eval", text, folder], {
    cwd: import.meta.dirname,
  });
}

describe("withFolderLock()", () => {
  it("runs one action at a time, and all of them", async (test) => {
    const folder = await temporaryFolder(test);
    let [running, done] = [0, 0];
    const action = async () => {
      running += 1;
      assert.equal(running, 1);
      for (let i = 0; i < 5; i++) await turn();
      running -= 1;
      done += 1;
    };
    await Promise.all(Array.from({ length: 30 }, () => withFolderLock(folder, action, lock)));
    assert.equal(done, 30);
  });

  it("releases the lock after the action, and passes on its result or error", async (test) => {
    const folder = await temporaryFolder(test);
    const failing = withFolderLock(folder, () => Promise.reject(new Error("broken")), lock);
    await assert.rejects(failing, /broken/);
    assert.equal(await withFolderLock(folder, async () => 5, lock), 5);
  });

  it("keeps folders apart", async (test) => {
    const [one, other] = [await temporaryFolder(test), await temporaryFolder(test)];
    assert.equal(
      await withFolderLock(one, () => withFolderLock(other, async () => 5, lock), lock),
      5,
    );
  });

  it("gives up when another process does not release the lock in time", async (test) => {
    const folder = await temporaryFolder(test);
    const holder = startHolder(folder);
    await holder.line(/held/);
    const attempt = withFolderLock(folder, async () => 5, { timeoutMs: 50 });
    await assert.rejects(attempt, /Cannot lock .*: another program has held it for 0\.05 s/);
    holder.kill("SIGKILL");
    await holder.ended;
  });

  it("is free the moment its holder is killed", async (test) => {
    const folder = await temporaryFolder(test);
    const holder = startHolder(folder);
    await holder.line(/held/);
    const attempt = withFolderLock(folder, async () => 5, lock);
    holder.kill("SIGKILL");
    assert.equal(await attempt, 5);
  });
});
