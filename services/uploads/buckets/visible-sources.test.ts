import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { visibilityOf } from "../access/visibility.ts";
import { type SourceRow, visibleSources } from "./visible-sources.ts";

const message = "the run would delete 7 of 10 uploads";

function sourceAt(path: string): SourceRow {
  return {
    bucket_id: "0b5c1d9e-3a58-4a5e-9c0e-000000000001",
    source_id: `source of ${path}`,
    name: path,
    kind: "s3",
    mount_path: path,
    isPaused: false,
    outcome: "stopped",
    message: "",
    hintFailure: "",
    doubt: message,
    waitingDeletions: 7,
    lookedAgain: 0,
    differed: 0,
    lastCompleteAt: undefined,
    lastObjects: undefined,
    oldAt: undefined,
    objectsSoFar: undefined,
    runBy: undefined,
  };
}

describe("the sources that a caller sees", () => {
  const rows = ["/", "/photos", "/photos/2024", "/mail", "/photos/private"].map(sourceAt);

  function seenIn(location: string, hidden: readonly string[] = []) {
    const visibility = visibilityOf([location], hidden, undefined);
    return visibleSources(rows, { visibility }).map(({ path, message, waitingDeletions }) => [
      ...[path, message],
      Number(waitingDeletions),
    ]);
  }

  it("are those in and above its locations, and not those in hidden folders", () => {
    const paths = seenIn("/photos", ["\u0001photos\u0001private"]).map(([path]) => path);
    assert.deepEqual(paths, ["/", "/photos", "/photos/2024"]);
  });

  it("have messages and counts if it sees what is in their folder", () => {
    assert.deepEqual(seenIn("/photos/2024"), [
      ["/", "", 0],
      ["/photos", "", 0],
      ["/photos/2024", message, 7],
    ]);
  });
});
