import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { BucketDetail } from "./bucket-detail.ts";
import { type Details, isWithin, narrowDetails } from "./narrow-details.ts";

const buckets = ["b1", "b2"];
const folders = ["/", "/a", "/a/b", "/a/b/c", "/ab", "/z"];

const entry = fc.record(
  {
    type: fc.constant("bucket" as const),
    actions: fc.constant<BucketDetail["actions"]>(["read"]),
    identifier: fc.constantFrom(...buckets),
    locations: fc.array(fc.constantFrom(...folders), { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ["type", "actions"] },
);
const details: fc.Arbitrary<Details> = fc.option(fc.array(entry, { minLength: 1, maxLength: 4 }), {
  nil: undefined,
});

/** Every place that details allow, in a world of three buckets, one of which nobody names. */
function places(given: Details): Set<string> {
  const all = [...buckets, "b3"].flatMap((bucket) => folders.map((folder) => [bucket, folder]));
  const allowed = all.filter(
    ([bucket, folder]) =>
      given === undefined ||
      (given as BucketDetail[]).some(
        ({ identifier = bucket, locations = ["/"] }) =>
          identifier === bucket &&
          locations.some((at) => `${folder}/`.startsWith(at.replace(/\/?$/, "/")) || at === "/"),
      ),
  );
  return new Set(allowed.map((place) => place.join(":")));
}

it("details are within others exactly if they allow no place that those do not", () => {
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

/** Without details a token may do more than any details say: even what they have no words for. */
function isLimited(narrow: Details, wide: Details): boolean {
  return narrow !== undefined || wide === undefined;
}

it("what is narrowed allows no place that was not granted, and is refused otherwise", () => {
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

it("entries of another type, and other actions, lend nothing", () => {
  const read: Details = [{ type: "bucket", actions: ["read"] }];
  assert.equal(isWithin(read, [{ type: "mailbox", actions: ["read"] }]), false);
  assert.equal(isWithin(read, [{ type: "bucket", actions: ["list"] }]), false);
  assert.equal(isWithin(read, []), false);
});
