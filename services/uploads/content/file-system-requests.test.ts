import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FileSystemRequests } from "./file-system-requests.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Requests that are answered on demand, on a false clock. */
function start() {
  const clock = { nowMs: 0 };
  const requests = new FileSystemRequests(() => clock.nowMs);
  const asked: string[] = [];
  const answers = new Map<string, () => void>();
  return {
    clock,
    requests,
    asked,
    async makeAll(...names: string[]): Promise<void> {
      for (const name of names) {
        const { promise, resolve } = Promise.withResolvers<void>();
        answers.set(name, resolve);
        void requests.make(name.slice(0, 1), () => {
          asked.push(name);
          return promise;
        });
      }
      await settled();
    },
    async answer(name: string): Promise<void> {
      answers.get(name)?.();
      await settled();
    },
  };
}

describe("requests to file systems", () => {
  it("occupy two threads for one directory, and three for all", async () => {
    const { asked, makeAll, answer } = start();
    await makeAll("a1", "a2", "a3", "b1", "b2", "c1");
    assert.deepEqual(asked, ["a1", "a2", "b1"]);
    await answer("b1");
    assert.deepEqual(asked.slice(3), ["b2"]);
    await answer("a2");
    assert.deepEqual(asked.slice(4), ["a3"]);
    await answer("b2");
    assert.deepEqual(asked.slice(5), ["c1"]);
  });

  it("settle as the file system answers, and then make room for others", async () => {
    const { requests, asked, makeAll } = start();
    const fail = () => Promise.reject(new Error("no such file"));
    for (let failed = 0; failed < 3; failed++) {
      await assert.rejects(requests.make("a", fail), /no such file/);
    }
    assert.equal(await requests.make("a", async () => 7), 7);
    await makeAll("a1");
    assert.deepEqual(asked, ["a1"]);
  });

  it("are refused while all that may be made have not been answered for long", async () => {
    const { clock, requests, makeAll, answer } = start();
    const refusal = { reason: "CONTENT_UNAVAILABLE" };
    await makeAll("a1", "a2", "a3");
    clock.nowMs = 4999;
    requests.refuseIfSilent("a");
    await makeAll("b1");
    clock.nowMs = 5000;
    assert.throws(() => requests.refuseIfSilent("a"), refusal);
    requests.refuseIfSilent("b");
    requests.refuseIfSilent("c");
    clock.nowMs = 9999;
    assert.throws(() => requests.refuseIfSilent("c"), refusal);
    await answer("a1");
    requests.refuseIfSilent("a");
    requests.refuseIfSilent("c");
  });
});
