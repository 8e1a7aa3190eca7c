import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { randomCases } from "@stowage/process/testing";
import fc from "fast-check";
import { idPrefix } from "./id-prefix.ts";
import { compareBytes } from "./tree-key-range.ts";

describe("the prefix of an upload's ID", () => {
  it("is seven characters of a UUID with a letter among them, and all of any other ID", () => {
    const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
    assert.equal(idPrefix(uuid), "0f8fad5");
    const version7 = "019a8c3e-7b1f-7cc0-98c4-dc0c0c07398f";
    for (const id of [version7, "12345678-d9cb-469f-a165-70867728950e", "IMG_0001", "", "é"]) {
      assert.equal(idPrefix(id), id);
    }
  });

  it("has the order of the IDs", () => {
    const character = fc.constantFrom("0", "1", "a", "f", "g", "-", "!", "é");
    const id = fc.string({ unit: character, maxLength: 9 });
    fc.assert(
      fc.property(id, id, (one, other) => {
        const order = Math.sign(compareBytes(one, other));
        const ofPrefixes = Math.sign(compareBytes(idPrefix(one), idPrefix(other)));
        assert.ok(ofPrefixes === 0 || ofPrefixes === order, `${one} and ${other}`);
      }),
      { numRuns: randomCases(20_000) },
    );
  });
});
