import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import type { Answer, Call } from "../http/handler.ts";
import { burstMs, followUpMs, share, Yielding } from "./yielding.ts";

const { input } = BucketUploadsService.method.listUploads;

const answer: Answer = { json: Buffer.from("{}"), release() {} };

/** An operation whose calls end when the test says so. */
function heldCalls(yielding: Yielding) {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const call: Call = {
    caller: {} as AccessToken,
    signal: new AbortController().signal,
    details: { bucketId: undefined, rows: undefined, plans: [] },
    onClosed() {},
    resizeAnswer() {},
  };
  const start = () => yielding.short<typeof input>(() => promise)(create(input), call);
  return { start, end: () => resolve(answer), fail: () => reject(new Error("no answer")) };
}

/** Keeps the thread busy. */
function work(milliseconds: number): void {
  const startMs = performance.now();
  while (performance.now() - startMs < milliseconds);
}

const pieceMs = 0.2;

/** Works until the long answer waits, and then until it goes on. */
async function workUntilWait(pause: () => Promise<void>): Promise<void> {
  for (let pieces = 0; pieces < 200; pieces++) {
    work(pieceMs);
    const pausing = pause();
    if (!(await isAtOnce(pausing))) return pausing;
  }
  throw new Error("The long answer did not wait");
}

/** Whether the promise settles without a turn of the event loop. */
async function isAtOnce(promise: Promise<void>): Promise<boolean> {
  let isSettled = false;
  void promise.then(() => {
    isSettled = true;
  });
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  return isSettled;
}

describe("a long answer", () => {
  it("does not wait while no short call is under way", async () => {
    const pause = new Yielding().longAnswer();
    for (let pieces = 0; pieces < 20; pieces++) {
      work(pieceMs);
      assert.ok(await isAtOnce(pause()));
    }
  });

  it("waits while a short call is under way, when it has worked its share", async () => {
    const yielding = new Yielding();
    const pause = yielding.longAnswer();
    void heldCalls(yielding).start();
    await workUntilWait(pause);
    await workUntilWait(pause);
  });

  it("does not wait when the time for a follow-up of the last short call is over", async () => {
    const yielding = new Yielding();
    const pause = yielding.longAnswer();
    const call = heldCalls(yielding);
    const answered = call.start();
    await workUntilWait(pause);
    call.end();
    assert.equal(await answered, answer);
    work(followUpMs);
    for (let pieces = 0; pieces < 20; pieces++) {
      work(pieceMs);
      assert.ok(await isAtOnce(pause()));
    }
  });

  it("does not wait for a short call that failed", async () => {
    const yielding = new Yielding();
    const pause = yielding.longAnswer();
    const call = heldCalls(yielding);
    const failing = call.start();
    call.fail();
    await assert.rejects(failing, /no answer/);
    work(followUpMs);
    work(2 * burstMs);
    assert.ok(await isAtOnce(pause()));
  });
});

describe("long answers beside constant short calls", () => {
  for (const count of [1, 3]) {
    it(`get their share together: ${count}`, async () => {
      const yielding = new Yielding();
      void heldCalls(yielding).start();
      let pieces = 0;
      const beganMs = performance.now();
      const makeLongAnswer = async () => {
        const pause = yielding.longAnswer();
        while (performance.now() - beganMs < 500) {
          work(pieceMs);
          pieces += 1;
          await pause();
        }
      };
      await Promise.all(Array.from({ length: count }, makeLongAnswer));
      const elapsedMs = performance.now() - beganMs;
      const used = (pieces * pieceMs) / elapsedMs;
      // Timers are late and the machine is shared, so that it may be less.
      assert.ok(used > share / 3 && used < 1.3 * share, `${used} of the thread`);
    });
  }
});
