import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import type { Handler } from "../calls/handler.ts";
import type { ApiError } from "../model/api-error.ts";
import { CallRecord } from "../telemetry/call-record.ts";
import { AnswerMemory } from "./answer-memory.ts";
import { countAnswers } from "./serve-method.ts";

const { input } = BucketUploadsService.method.listUploads;
const request = create(input);

const unit = 64 * 1024;

/** One call of a client, such as `tenant/client`, whose answer has as many bytes. */
function startCall(memory: AnswerMemory, client: string, bytes: number) {
  const [organisationId, clientId = ""] = client.split("/");
  const aborter = new AbortController();
  const closed: (() => void)[] = [];
  const call = {
    caller: { organisationId, clientId } as AccessToken,
    signal: aborter.signal,
    record: new CallRecord("a-request"),
    onClosed(listener: () => void) {
      closed.push(listener);
    },
    abort(error: ApiError) {
      revokedFor = error.reason;
      if (!stays) close();
    },
  };
  const close = () => {
    for (const listener of closed.splice(0)) listener();
  };
  let revokedFor: string | undefined;
  let stays = false;
  let state = "waiting";
  let released = false;
  const handler: Handler<typeof input> = async () => {
    state = "working";
    const release = () => {
      released = true;
    };
    return { json: Buffer.alloc(bytes), release };
  };
  const answer = memory
    .reserve(call.caller, call)
    .then((resizeAnswer) => countAnswers(handler)(request, { ...call, resizeAnswer }))
    .then(
      () => "answered",
      (error) => error.reason ?? error.message,
    );
  return {
    answer,
    abort: () => aborter.abort(new Error("the caller went away")),
    close,
    revokedFor: () => revokedFor,
    /** Its response is not closed when its answer is revoked. */
    stay: () => (stays = true),
    state: () => state,
    isReleased: () => released,
  };
}

/** Calls whose answers are there, and unread. */
async function hold(memory: AnswerMemory, answers: Readonly<Record<string, number>>) {
  const calls = Object.entries(answers).map(([client, bytes]) => startCall(memory, client, bytes));
  for (const call of calls) assert.equal(await call.answer, "answered");
  return calls;
}

/** Of this, a tenant may use 8 units, a client 4, and all together 12. */
const bytesMax = 16 * unit;

describe("AnswerMemory", () => {
  it("counts an answer until its response is closed", async () => {
    const memory = new AnswerMemory({ bytesMax });
    const [call] = await hold(memory, { a: 3 * unit });
    assert.equal(memory.bytes, 3 * unit);
    call?.close();
    assert.equal(memory.bytes, 0);
  });

  for (const { whose, held, next, other } of [
    { whose: "client", held: ["a/x"], next: "a/x", other: "a/y" },
    { whose: "tenant", held: ["a/x", "a/y"], next: "a/z", other: "b/x" },
  ]) {
    it(`lets calls of a ${whose} wait for room in its half, and others go on`, async () => {
      const memory = new AnswerMemory({ bytesMax });
      const all = await hold(memory, Object.fromEntries(held.map((client) => [client, 4 * unit])));
      const waiting = startCall(memory, next, unit);
      all.push(waiting, ...(await hold(memory, { [other]: unit })));
      assert.equal(waiting.state(), "waiting");
      all.shift()?.close();
      assert.equal(await waiting.answer, "answered");
      for (const { close } of all) close();
      assert.equal(memory.bytes, 0);
    });

    it(`drops an answer that turns out too large for the room of its ${whose}`, async () => {
      const memory = new AnswerMemory({ bytesMax });
      await hold(memory, Object.fromEntries(held.map((client) => [client, 3 * unit])));
      const call = startCall(memory, next, 3 * unit);
      assert.equal(await call.answer, "TOO_MANY_CALLS");
      assert.ok(call.isReleased());
      call.close();
      assert.equal(memory.bytes, held.length * 3 * unit);
    });
  }

  it("drops an answer that turns out too large for the room of all", async () => {
    const memory = new AnswerMemory({ bytesMax });
    await hold(memory, { "a/x": 4 * unit, "a/y": 4 * unit, "b/x": 3 * unit, "b/y": unit });
    assert.equal(await startCall(memory, "c", 3 * unit).answer, "SERVER_BUSY");
  });

  it("keeps a quarter for tenants that hold nothing, whatever others do", async () => {
    const memory = new AnswerMemory({ bytesMax });
    const [first] = await hold(memory, { "a/x": 4 * unit, "a/y": 4 * unit, "b/x": 4 * unit });
    const waiting = ["b/y", "a/z"].map((client) => startCall(memory, client, unit));
    await hold(memory, { "c/x": 2 * unit });
    waiting.push(startCall(memory, "c/y", unit));
    await hold(memory, { d: 2 * unit });
    waiting.push(startCall(memory, "e", unit));
    assert.equal(memory.bytes, bytesMax);
    assert.ok(waiting.every(({ state }) => state() === "waiting"));
    first?.close();
    assert.equal(await waiting.at(-1)?.answer, "answered");
    assert.equal(memory.bytes, 13 * unit);
    for (const { abort } of waiting) abort();
  });

  it("lets a tenant have one answer that is larger than its half", async () => {
    const memory = new AnswerMemory({ bytesMax });
    assert.equal(await startCall(memory, "a", 13 * unit).answer, "SERVER_BUSY");
    await hold(new AnswerMemory({ bytesMax }), { a: 12 * unit });
  });

  it("lets no call wait longer than its caller", async () => {
    const memory = new AnswerMemory({ bytesMax });
    const [first] = await hold(memory, { a: 4 * unit });
    const second = startCall(memory, "a", unit);
    const third = startCall(memory, "a", unit);
    second.abort();
    assert.equal(await second.answer, "the caller went away");
    first?.close();
    assert.equal(await third.answer, "answered");
    third.close();
    assert.equal(memory.bytes, 0);
  });

  it("lets no call wait longer than the longest wait", async () => {
    const memory = new AnswerMemory({ bytesMax, waitMaxMs: 1 });
    const [first] = await hold(memory, { a: 4 * unit });
    assert.equal(await startCall(memory, "a", unit).answer, "SERVER_BUSY");
    first?.close();
    assert.equal(memory.bytes, 0);
  });

  it("breaks off the largest old answer while calls wait that others leave no room", async () => {
    const memory = new AnswerMemory({ bytesMax, waitMaxMs: 2000, revocableAfterMs: 0 });
    const held = await hold(memory, { a: 5 * unit, b: 6 * unit, "c/x": unit });
    const waiting = startCall(memory, "c/y", unit);
    assert.equal(await waiting.answer, "answered");
    assert.deepEqual(
      held.map(({ revokedFor }) => revokedFor()),
      [undefined, "SERVER_BUSY", undefined],
    );
  });

  it("breaks off the next one if that one does not end", async () => {
    const memory = new AnswerMemory({ bytesMax, waitMaxMs: 2000, revocableAfterMs: 0 });
    const held = await hold(memory, { a: 5 * unit, b: 6 * unit, "c/x": unit });
    held[1]?.stay();
    const waiting = startCall(memory, "c/y", unit);
    assert.equal(await waiting.answer, "answered");
    assert.deepEqual(
      held.map(({ revokedFor }) => revokedFor()),
      ["SERVER_BUSY", "SERVER_BUSY", undefined],
    );
  });

  it("breaks off no answer for a call whose tenant has used up its own room", async () => {
    const memory = new AnswerMemory({ bytesMax, waitMaxMs: 10, revocableAfterMs: 0 });
    const held = await hold(memory, { a: 8 * unit, b: 4 * unit });
    assert.equal(await startCall(memory, "a", unit).answer, "SERVER_BUSY");
    assert.ok(held.every(({ revokedFor }) => revokedFor() === undefined));
  });

  for (const order of ["before", "after"]) {
    it(`gives room to the next when a caller goes away just ${order} it gets it`, async () => {
      const memory = new AnswerMemory({ bytesMax });
      const [large, small] = [startCall(memory, "a", 3 * unit), startCall(memory, "a", unit)];
      await Promise.all([large.answer, small.answer]);
      const second = startCall(memory, "a", unit);
      const third = startCall(memory, "a", unit);
      if (order === "before") second.abort();
      small.close();
      second.abort();
      assert.equal(await second.answer, "the caller went away");
      assert.equal(await third.answer, "answered");
      large.close();
      third.close();
      assert.equal(memory.bytes, 0);
    });
  }

  it("counts nothing for a response that was closed before its answer was there", async () => {
    const memory = new AnswerMemory({ bytesMax });
    const call = startCall(memory, "a", 3 * unit);
    call.close();
    await call.answer;
    assert.equal(memory.bytes, 0);
  });

  it("lets half of the waiting places to a tenant, and half of those to a client", async () => {
    const memory = new AnswerMemory({ bytesMax });
    const held = await hold(memory, { "a/x": 4 * unit, "a/y": 4 * unit });
    const wait = (client: string) =>
      Array.from({ length: 250 }, () => startCall(memory, client, unit));
    const waiting = wait("a/x");
    assert.equal(await startCall(memory, "a/x", unit).answer, "TOO_MANY_CALLS");
    waiting.push(...wait("a/y"));
    assert.equal(await startCall(memory, "a/z", unit).answer, "TOO_MANY_CALLS");
    held.push(...(await hold(memory, { "b/x": 4 * unit })));
    const other = startCall(memory, "b/y", unit);
    for (const { close } of held) close();
    assert.equal(await other.answer, "answered");
    for (const { abort } of waiting) abort();
  });
});
