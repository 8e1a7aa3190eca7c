import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { create } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { RightOfWay, sliceMs, waitMaxMs } from "./right-of-way.ts";
import type { Call, UnaryHandler } from "./unary-handler.ts";

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
function work(): void {
  const startMs = performance.now();
  while (performance.now() - startMs < 2 * sliceMs);
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

  it("waits until the last short call is over", async () => {
    const rightOfWay = new RightOfWay();
    const giveWay = rightOfWay.longAnswer();
    const [first, second] = [heldCalls(rightOfWay), heldCalls(rightOfWay)];
    const answers = [first.start(), second.start()];
    work();
    const waiting = giveWay();
    first.end();
    assert.ok(!(await isAtOnce(waiting)));
    second.end();
    assert.deepEqual(await Promise.all(answers), [answer, answer]);
    await waiting;
  });

  it("goes on after a while though short calls are under way", async () => {
    const rightOfWay = new RightOfWay();
    const giveWay = rightOfWay.longAnswer();
    void heldCalls(rightOfWay).start();
    work();
    const waiting = giveWay();
    assert.ok(!(await isAtOnce(waiting)));
    mock.timers.tick(waitMaxMs);
    await waiting;
  });

  it("goes on after another one that waits", async () => {
    const rightOfWay = new RightOfWay();
    const giveWays = [rightOfWay.longAnswer(), rightOfWay.longAnswer()];
    void heldCalls(rightOfWay).start();
    work();
    const [first, second] = giveWays.map((giveWay) => giveWay());
    assert.ok(first && second);
    mock.timers.tick(waitMaxMs);
    await first;
    assert.ok(!(await isAtOnce(second)));
    mock.timers.tick(waitMaxMs);
    await second;
  });

  it("does not wait for a short call that failed", async () => {
    const rightOfWay = new RightOfWay();
    const giveWay = rightOfWay.longAnswer();
    const call = heldCalls(rightOfWay);
    const answer = call.start();
    call.fail();
    await assert.rejects(answer, /no answer/);
    work();
    assert.ok(await isAtOnce(giveWay()));
  });
});
