import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SourceCompleteness, type SourceState } from "@stowage/api/stowage/v1/buckets_service_pb";
import { formatDateTime } from "../text/format.ts";
import type { Source } from "./bucket.ts";
import { isInTrouble, sourceNoticesOf, stateTextOf } from "./source-states.ts";

const ask = "Ask the person who operates Stowage.";
const nowMs = Date.parse("2026-11-23T12:00:00Z");

interface Given {
  readonly secondsAgo?: number;
  readonly message?: string;
}

/** A source of this state, which is complete as of so many seconds ago. */
function source(
  state: keyof typeof SourceState,
  completeness: keyof typeof SourceCompleteness,
  { secondsAgo = Number.NaN, message = "" }: Given = {},
): Source {
  return {
    sourceId: "1",
    name: "photos",
    state: `SOURCE_STATE_${state}`,
    completeness: `SOURCE_COMPLETENESS_${completeness}`,
    message,
    lookedAgain: 0,
    differed: 0,
    completeAsOfMs: Number.isNaN(secondsAgo) ? undefined : nowMs - secondsAgo * 1000,
  };
}

function texts(...sources: readonly Source[]): readonly string[] {
  return sourceNoticesOf(sources, 1200, nowMs).map(
    ({ text, isTrouble }) => `${isTrouble ? "! " : ""}${text}`,
  );
}

describe("the notices of sources", () => {
  it("say nothing of sources that are complete, whether they run or not", () => {
    assert.deepEqual(texts(source("IDLE", "COMPLETE"), source("PAUSED", "COMPLETE")), []);
    assert.deepEqual(texts(source("RUNNING", "COMPLETE", { secondsAgo: 30 })), []);
  });

  it("say that a sync is running if the last one is a while ago", () => {
    assert.deepEqual(texts(source("RUNNING", "COMPLETE", { secondsAgo: 3600 })), [
      "The sync of photos is running. New files may be missing.",
    ]);
  });

  it("say how far the first sync is, and that lists are not complete", () => {
    assert.deepEqual(texts(source("RUNNING", "INCOMPLETE"), source("IDLE", "INCOMPLETE")), [
      "photos is being indexed for the first time. 1,200 files so far. Until it ends, lists " +
        "and searches are not complete.",
      "photos is not completely indexed yet. Files may be missing.",
    ]);
  });

  it("say what is doubtful, old or failed, as of when it is complete, and whom to ask", () => {
    const time = formatDateTime(nowMs - 60_000);
    const seen = { secondsAgo: 60 };
    assert.deepEqual(
      texts(
        source("STOPPED", "DOUBTFUL", seen),
        source("RUNNING", "DOUBTFUL", seen),
        source("IDLE", "OLD", seen),
        source("FAILED", "COMPLETE", seen),
        source("FAILED", "INCOMPLETE"),
      ),
      [
        `! The index of photos may be wrong. Complete as of ${time}. ${ask}`,
        `! The index of photos may be wrong. Complete as of ${time}. ${ask}`,
        `! The index of photos is old. Later changes are missing. Complete as of ${time}. ${ask}`,
        `! The last sync of photos failed. Complete as of ${time}. ${ask}`,
        `! The last sync of photos failed. Not yet complete. ${ask}`,
      ],
    );
  });

  it("keep the service's message, which is for operators, apart", () => {
    const message = "/photos is empty. Check the directory.";
    const [notice] = sourceNoticesOf([source("STOPPED", "DOUBTFUL", { message })], 1, nowMs);
    assert.equal(notice?.message, message);
    assert.doesNotMatch(notice.text, /directory/);
  });
});

describe("the state of a source", () => {
  it("has a word unless the time says all", () => {
    const words = [
      source("IDLE", "COMPLETE"),
      source("IDLE", "INCOMPLETE"),
      source("PAUSED", "COMPLETE"),
      source("PAUSED", "OLD"),
      source("RUNNING", "DOUBTFUL"),
      source("STOPPED", "DOUBTFUL"),
      source("FAILED", "DOUBTFUL"),
    ].map(stateTextOf);
    assert.deepEqual(words, ["", "", "Paused", "Old", "Syncing", "In doubt", "Failed"]);
  });

  it("is trouble if somebody should do something", () => {
    const all = Object.keys(SourceCompleteness).filter((name) => /^[A-Z]+$/.test(name));
    const troubles = all.filter((each) =>
      isInTrouble(source("IDLE", each as keyof typeof SourceCompleteness)),
    );
    assert.deepEqual(troubles.toSorted(), ["DOUBTFUL", "OLD"]);
    assert.equal(isInTrouble(source("FAILED", "COMPLETE")), true);
  });
});
