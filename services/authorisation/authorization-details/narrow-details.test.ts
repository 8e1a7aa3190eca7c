import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { type Details, isWithin } from "../model/authorization-details.ts";
import { details, places } from "../testing/details-model.ts";
import { narrowDetails } from "./narrow-details.ts";

it("details are within others exactly if they allow no more", () => {
  fc.assert(
    fc.property(details, details, (narrow, wide) => {
      assert.equal(
        isWithin(narrow, wide),
        isLimited(narrow, wide) && places(narrow).isSubsetOf(places(wide)),
      );
    }),
    { numRuns: 2000 },
  );
});

/** Without details, a token allows more than any details can express. */
function isLimited(narrow: Details, wide: Details): boolean {
  return narrow !== undefined || wide === undefined;
}

it("narrowed details allow no more than was granted, or are refused", () => {
  fc.assert(
    fc.property(details, details, (requested, granted) => {
      try {
        assert.ok(places(narrowDetails(requested, granted)).isSubsetOf(places(granted)));
      } catch (error) {
        assert.equal((error as { error: string }).error, "invalid_authorization_details");
        assert.ok(!isWithin(requested, granted));
      }
    }),
  );
});

it("entries of another type, or with other actions, add nothing", () => {
  const read: Details = [{ type: "bucket", actions: ["read"] }];
  assert.equal(isWithin(read, [{ type: "mailbox", actions: ["read"] }]), false);
  assert.equal(isWithin(read, [{ type: "bucket", actions: ["list"] }]), false);
  assert.equal(isWithin(read, []), false);
});
