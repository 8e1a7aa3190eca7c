import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { create } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import type { Answer, Call } from "../http/handler.ts";
import { followUpMs, sliceMs, waitMs, Yielding } from "./yielding.ts";

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
  };
  const start = () => yielding.short<typeof input>(() => promise)(create(input), call);
  return { start, end: () => resolve(answer), fail: () => reject(new Error("no answer")) };
}

/** Keeps the thread busy until a slice is used up. */
function work(milliseconds = 2 * sliceMs): void {
  const startMs = performance.now();
  while (performance.now() - startMs < milliseconds);
}

/** Whether the promise settles before the next turn of the event loop. */
async function isAtOnce(promise: Promise<void>): Promise<boolean> {
  const later = new Promise((resolve) => setImmediate(resolve, "later"));
  return (await Promise.race([promise, later])) !== "later";
}

describe("a long answer", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  it("does not wait while no short call is under way", async () => {
    const pause = new Yielding().longAnswer();
    work();
    assert.ok(await isAtOnce(pause()));
  });

  it("waits while a short call is under way", async () => {
    const yielding = new Yielding();
    const pause = yielding.longAnswer();
    void heldCalls(yielding).start();
    work();
    const waiting = pause();
    assert.ok(!(await isAtOnce(waiting)));
    mock.timers.tick(waitMs);
    await waiting;
  });

  it("waits right after a short call, but not after the follow-up time", async () => {
    const yielding = new Yielding();
    const pause = yielding.longAnswer();
    const call = heldCalls(yielding);
    const answered = call.start();
    work();
    call.end();
    assert.equal(await answered, answer);
    const waiting = pause();
    assert.ok(!(await isAtOnce(waiting)));
    mock.timers.tick(waitMs);
    await waiting;
    work(followUpMs);
    assert.ok(await isAtOnce(pause()));
  });

  it("waits longer when another long answer waits already", async () => {
    const yielding = new Yielding();
    const pauses = [yielding.longAnswer(), yielding.longAnswer()];
    void heldCalls(yielding).start();
    work();
    const [first, second] = pauses.map((pause) => pause());
    assert.ok(first && second);
    mock.timers.tick(waitMs);
    await first;
    assert.ok(!(await isAtOnce(second)));
    mock.timers.tick(waitMs);
    await second;
  });

  it("does not wait for a short call that failed", async () => {
    const yielding = new Yielding();
    const pause = yielding.longAnswer();
    const call = heldCalls(yielding);
    const answer = call.start();
    call.fail();
    await assert.rejects(answer, /no answer/);
    work(followUpMs);
    assert.ok(await isAtOnce(pause()));
  });
});
