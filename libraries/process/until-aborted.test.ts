import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { untilAborted } from "./until-aborted.ts";

describe("untilAborted()", () => {
  it("returns the result of work that ends first", async () => {
    const result = await untilAborted(Promise.resolve("done"), new AbortController().signal);
    assert.equal(result, "done");
  });

  it("rejects as the work does", async () => {
    const failure = new Error("broken");
    const waiting = untilAborted(Promise.reject(failure), new AbortController().signal);
    await assert.rejects(waiting, failure);
  });

  it("rejects with the reason once the signal aborts", async () => {
    const stop = new AbortController();
    const waiting = untilAborted(new Promise(() => {}), stop.signal);
    const reason = new Error("too late");
    stop.abort(reason);
    await assert.rejects(waiting, reason);
  });

  it("rejects at once for a signal that has aborted", async () => {
    const reason = new Error("too late");
    await assert.rejects(untilAborted(new Promise(() => {}), AbortSignal.abort(reason)), reason);
  });
});
