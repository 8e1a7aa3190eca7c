/** A model of `authorization_details`: tries every possible place. */
import fc from "fast-check";
import type { BucketDetail } from "../authorization-details/bucket-detail.ts";
import type { Details } from "../model/authorization-details.ts";

const buckets = ["3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11", "5b1d7a2e-8c4f-4e6a-b0d3-1f2e3d4c5b6a"];
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
/** Some details, or none. */
export const details: fc.Arbitrary<Details> = fc.option(
  fc.array(entry, { minLength: 1, maxLength: 4 }),
  {
    nil: undefined,
  },
);

/** Every place that details allow, in a world of three buckets. No entry names the third. */
export function places(given: Details): Set<string> {
  const all = [...buckets, "another"].flatMap((bucket) =>
    folders.map((folder) => [bucket, folder]),
  );
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
