import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { create } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import type { Call, UnaryHandler } from "../http/handler.ts";
import { lullMs, RightOfWay, sliceMs, waitMs } from "./yielding.ts";

const { input, output } = BucketUploadsService.method.listUploads;
type Handler = UnaryHandler<typeof input, typeof output>;

const answer = Uint8Array.of(1);

/** An operation whose calls end when they are told to. */
function heldCalls(rightOfWay: RightOfWay) {
  const { promise, resolve, reject } = Promise.withResolvers<typeof answer>();
  const handler: Handler = { json: () => promise, message: () => assert.fail() };
  const call: Call = { caller: {} as AccessToken, signal: new AbortController().signal };
  const start = () => rightOfWay.short(handler).json(create(input), call);
  return { start, end: () => resolve(answer), fail: () => reject(new Error("no answer")) };
}

/** Spins until a slice is used up. */
function work(milliseconds = 2 * sliceMs): void {
  const startMs = performance.now();
  while (performance.now() - startMs < milliseconds);
}

/** Whether it settles before anything but promises goes on. */
async function isAtOnce(promise: Promise<void>): Promise<boolean> {
  const later = new Promise((resolve) => setImmediate(resolve, "later"));
  return (await Promise.race([promise, later])) !== "later";
}

describe("a long answer", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  it("goes on at once while no short call is under way", async () => {
    const giveWay = new RightOfWay().longAnswer();
    work();
    assert.ok(await isAtOnce(giveWay()));
  });

  it("waits a while where a short call is under way", async () => {
    const rightOfWay = new RightOfWay();
    const giveWay = rightOfWay.longAnswer();
    void heldCalls(rightOfWay).start();
    work();
    const waiting = giveWay();
    assert.ok(!(await isAtOnce(waiting)));
    mock.timers.tick(waitMs);
    await waiting;
  });

  it("waits as long where one is just over, and no more once it has been for a while", async () => {
    const rightOfWay = new RightOfWay();
    const giveWay = rightOfWay.longAnswer();
    const call = heldCalls(rightOfWay);
    const answered = call.start();
    work();
    call.end();
    assert.equal(await answered, answer);
    const waiting = giveWay();
    assert.ok(!(await isAtOnce(waiting)));
    mock.timers.tick(waitMs);
    await waiting;
    work(lullMs);
    assert.ok(await isAtOnce(giveWay()));
  });

  it("goes on after another one that waits", async () => {
    const rightOfWay = new RightOfWay();
    const giveWays = [rightOfWay.longAnswer(), rightOfWay.longAnswer()];
    void heldCalls(rightOfWay).start();
    work();
    const [first, second] = giveWays.map((giveWay) => giveWay());
    assert.ok(first && second);
    mock.timers.tick(waitMs);
    await first;
    assert.ok(!(await isAtOnce(second)));
    mock.timers.tick(waitMs);
    await second;
  });

  it("does not wait for a short call that failed", async () => {
    const rightOfWay = new RightOfWay();
    const giveWay = rightOfWay.longAnswer();
    const call = heldCalls(rightOfWay);
    const answer = call.start();
    call.fail();
    await assert.rejects(answer, /no answer/);
    work(lullMs);
    assert.ok(await isAtOnce(giveWay()));
  });
});
