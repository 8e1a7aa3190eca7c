import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Source, SourceState } from "@stowage/api/stowage/v1/buckets_service_pb";
import { sourceNoticesOf } from "./source-states.ts";

const nowMs = Date.parse("2026-11-23T12:00:00Z");

/** A source that was last complete so many seconds ago. */
function source(state: SourceState, change: Partial<Source> & { secondsAgo?: number } = {}) {
  const { secondsAgo, ...fields } = change;
  const lastCompleteAt = secondsAgo !== undefined && {
    lastCompleteAt: { seconds: BigInt(nowMs / 1000 - secondsAgo), nanos: 0 },
  };
  return { sourceId: "1", name: "photos", state, message: "", ...lastCompleteAt, ...fields };
}

function texts(...sources: readonly ReturnType<typeof source>[]): readonly string[] {
  return sourceNoticesOf(sources as readonly Source[], nowMs).map(
    ({ text, isTrouble }) => `${isTrouble ? "! " : ""}${text}`,
  );
}

describe("the notices of sources", () => {
  it("say nothing of sources that are in step or paused", () => {
    assert.deepEqual(texts(source(SourceState.IDLE), source(SourceState.PAUSED)), []);
  });

  it("say that a sync is under way, unless the last is only just complete", () => {
    const text = "The sync of photos is under way. New uploads may be missing.";
    assert.deepEqual(texts(source(SourceState.RUNNING)), [text]);
    assert.deepEqual(texts(source(SourceState.RUNNING, { secondsAgo: 3600 })), [text]);
    assert.deepEqual(texts(source(SourceState.RUNNING, { secondsAgo: 30 })), []);
  });

  it("say what stopped or failed, with the service's message", () => {
    const message = "The listing is empty.";
    assert.deepEqual(texts(source(SourceState.STOPPED, { message }), source(SourceState.FAILED)), [
      "! The sync of photos has stopped. The listing is empty.",
      "! The last sync of photos failed.",
    ]);
  });
});
