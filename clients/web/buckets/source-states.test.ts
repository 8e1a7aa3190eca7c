import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SourceState } from "@stowage/api/stowage/v1/buckets_service_pb";
import { formatDateTime } from "../text/format.ts";
import type { Source } from "./bucket.ts";
import { isInTrouble, sourceNoticesOf, stateTextOf } from "./source-states.ts";

const ask = "Ask the person who operates Stowage.";
const nowMs = Date.parse("2026-11-23T12:00:00Z");

/** A source of this state, which was last complete so many seconds ago. */
function source(state: string, { secondsAgo = Number.NaN, message = "" } = {}): Source {
  const lastCompleteAtMs = Number.isNaN(secondsAgo) ? undefined : nowMs - secondsAgo * 1000;
  return {
    sourceId: "1",
    name: "photos",
    state: `SOURCE_STATE_${state}`,
    message,
    lastCompleteAtMs,
  };
}

function texts(...sources: readonly Source[]): readonly string[] {
  return sourceNoticesOf(sources, 1200, nowMs).map(
    ({ text, isTrouble }) => `${isTrouble ? "! " : ""}${text}`,
  );
}

describe("the notices of sources", () => {
  it("say nothing of sources that are up to date or paused", () => {
    assert.deepEqual(texts(source("IDLE"), source("PAUSED")), []);
  });

  it("say that a sync is running, unless the last one has just completed", () => {
    const text = "The sync of photos is running. New uploads may be missing.";
    assert.deepEqual(texts(source("RUNNING", { secondsAgo: 3600 })), [text]);
    assert.deepEqual(texts(source("RUNNING", { secondsAgo: 30 })), []);
  });

  it("say how far the first sync is, and that lists are not complete", () => {
    assert.deepEqual(texts(source("RUNNING")), [
      "photos is being indexed for the first time. 1,200 uploads so far. Until it ends, lists " +
        "and searches are not complete.",
    ]);
  });

  it("say what stopped or failed, and whom to ask", () => {
    const time = formatDateTime(nowMs - 60_000);
    assert.deepEqual(texts(source("STOPPED", { secondsAgo: 60 }), source("FAILED")), [
      `! The sync of photos has stopped. Last complete: ${time}. ${ask}`,
      `! The last sync of photos failed. Not yet complete. ${ask}`,
    ]);
  });

  it("keep the service's message, which is for operators, apart", () => {
    const message = "/photos is empty. Check the directory.";
    const [notice] = sourceNoticesOf([source("STOPPED", { message })], 1, nowMs);
    assert.equal(notice?.message, message);
    assert.doesNotMatch(notice.text, /directory/);
  });

  it("ask for help with sources that stopped or failed alone", () => {
    const names = Object.keys(SourceState).filter((name) => isInTrouble(source(name)));
    assert.deepEqual(names.toSorted(), ["FAILED", "STOPPED"]);
  });

  it("have words for every state of the contract", () => {
    const names = Object.keys(SourceState).filter((name) => /^[A-Z]+$/.test(name));
    const unknown = names.filter((name) => stateTextOf(source(name)) === "");
    assert.deepEqual(unknown, ["UNSPECIFIED"]);
  });
});
