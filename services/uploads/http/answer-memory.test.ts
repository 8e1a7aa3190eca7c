import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { CallRecord } from "../telemetry/call-record.ts";
import { AnswerMemory, countAnswers } from "./answer-memory.ts";
import type { Handler } from "./handler.ts";

const { input } = BucketUploadsService.method.listUploads;
const request = create(input);

const unit = 64 * 1024;

/** One call of a tenant, whose answer has as many bytes. */
function startCall(memory: AnswerMemory, tenant: string, bytes: number) {
  const aborter = new AbortController();
  const closed: (() => void)[] = [];
  const call = {
    caller: { organisationId: tenant } as AccessToken,
    signal: aborter.signal,
    details: new CallRecord("a-request"),
    onClosed(listener: () => void) {
      closed.push(listener);
    },
  };
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
    close() {
      for (const listener of closed) listener();
    },
    state: () => state,
    isReleased: () => released,
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("AnswerMemory", () => {
  it("counts an answer until its response is closed", async () => {
    const memory = new AnswerMemory({ bytesMax: 10 * unit });
    const call = startCall(memory, "a", 3 * unit);
    assert.equal(await call.answer, "answered");
    assert.equal(memory.bytes, 3 * unit);
    call.close();
    assert.equal(memory.bytes, 0);
  });

  it("lets calls of a tenant wait for room in its half, and others go on", async () => {
    const memory = new AnswerMemory({ bytesMax: 4 * unit });
    const first = startCall(memory, "a", 2 * unit);
    assert.equal(await first.answer, "answered");
    const second = startCall(memory, "a", unit);
    const other = startCall(memory, "b", unit);
    assert.equal(await other.answer, "answered");
    assert.equal(second.state(), "waiting");
    first.close();
    assert.equal(await second.answer, "answered");
    second.close();
    other.close();
    assert.equal(memory.bytes, 0);
  });

  it("drops an answer that turns out too large for the room of its tenant", async () => {
    const memory = new AnswerMemory({ bytesMax: 8 * unit });
    const first = startCall(memory, "a", 3 * unit);
    const second = startCall(memory, "a", 3 * unit);
    assert.equal(await first.answer, "answered");
    assert.equal(await second.answer, "TOO_MANY_CALLS");
    assert.ok(second.isReleased());
    second.close();
    assert.equal(memory.bytes, 3 * unit);
  });

  it("drops an answer that turns out too large for the room of all", async () => {
    const memory = new AnswerMemory({ bytesMax: 8 * unit });
    for (const tenant of ["a", "b"]) {
      assert.equal(await startCall(memory, tenant, 3 * unit).answer, "answered");
    }
    assert.equal(await startCall(memory, "c", 3 * unit).answer, "SERVER_BUSY");
  });

  it("lets a tenant have one answer that is larger than its half", async () => {
    const memory = new AnswerMemory({ bytesMax: 8 * unit });
    assert.equal(await startCall(memory, "a", 7 * unit).answer, "answered");
    assert.equal(await startCall(memory, "b", 9 * unit).answer, "SERVER_BUSY");
  });

  it("lets no call wait longer than its caller", async () => {
    const memory = new AnswerMemory({ bytesMax: 2 * unit });
    const first = startCall(memory, "a", unit);
    await first.answer;
    const second = startCall(memory, "a", unit);
    const third = startCall(memory, "a", unit);
    second.abort();
    assert.equal(await second.answer, "the caller went away");
    first.close();
    assert.equal(await third.answer, "answered");
    third.close();
    assert.equal(memory.bytes, 0);
  });

  it("loses nothing when a caller goes away just as it gets its room", async () => {
    const memory = new AnswerMemory({ bytesMax: 2 * unit });
    const first = startCall(memory, "a", unit);
    await first.answer;
    const second = startCall(memory, "a", unit);
    await turn();
    second.abort();
    first.close();
    await second.answer;
    second.close();
    assert.equal(memory.bytes, 0);
  });

  it("counts nothing for a response that was closed before its answer was there", async () => {
    const memory = new AnswerMemory({ bytesMax: 8 * unit });
    const call = startCall(memory, "a", 3 * unit);
    call.close();
    await call.answer;
    assert.equal(memory.bytes, 0);
  });

  it("lets half of the waiting places to one tenant", async () => {
    const memory = new AnswerMemory({ bytesMax: 2 * unit });
    const held = [startCall(memory, "a", unit), startCall(memory, "b", unit)];
    await Promise.all(held.map(({ answer }) => answer));
    const waiting = Array.from({ length: 500 }, () => startCall(memory, "a", unit));
    assert.equal(await startCall(memory, "a", unit).answer, "SERVER_BUSY");
    const other = startCall(memory, "b", unit);
    for (const { close } of held) close();
    assert.equal(await other.answer, "answered");
    for (const { abort } of waiting) abort();
  });
});
