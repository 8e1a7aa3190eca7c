import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { foldName } from "./fold-name.ts";

describe("foldName()", () => {
  it("makes a piece of a name equal to the same piece of the whole, final sigma or not", () => {
    assert.ok(foldName("ΟΔΟΣ ΑΒΓ").includes(foldName("ΟΔΟΣ")));
    assert.ok(foldName("ΟΔΟΣΑΒΓ").includes(foldName("ΟΔΟΣ")));
    assert.equal(foldName("ς"), foldName("Σ"));
  });
});
