/** Random `authorization_details` of tokens, with and without effect. */
import fc from "fast-check";
import { isFolderPath, parentOf } from "../model/path.ts";
import type { Bucket } from "../model/records.ts";
import { bucketIds } from "./tenants.ts";

/** Up to four entries for the bucket, other buckets and other services. */
export function authorizationDetails(bucket: Bucket): fc.Arbitrary<object[]> {
  const paths = bucket.folders.map(({ path }) => path);
  const location = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...paths) },
    { weight: 2, arbitrary: fc.constantFrom(...paths).map(parentOf) },
    { weight: 1, arbitrary: fc.constantFrom(...paths).map((path) => path.slice(0, -1)) },
    { weight: 1, arbitrary: fc.constantFrom("/", "/none such", "/a", "/a/b", "/a b") },
  );
  const granting = fc.record(
    {
      type: fc.constant("bucket"),
      actions: fc.constantFrom(["read"], ["read", "write"], ["write", "read"]),
      identifier: fc.constantFrom(bucket.bucketId, bucket.bucketId, bucketIds.second),
      locations: fc.array(
        location.filter((path) => isFolderPath(path) && path.isWellFormed()),
        {
          minLength: 1,
          maxLength: 3,
        },
      ),
    },
    { requiredKeys: ["type", "actions"] },
  );
  const locations = fc.array(fc.constantFrom(...paths), { maxLength: 2 });
  return fc.array(
    fc.oneof(
      { weight: 5, arbitrary: granting },
      { weight: 1, arbitrary: locations.chain((some) => fc.constantFrom(...withoutEffect(some))) },
    ),
    { maxLength: 4 },
  );
}

/** Entries that grant nothing. Those of type `bucket` limit the token all the same. */
function withoutEffect(locations: string[]): object[] {
  const actions = ["read"];
  return [
    { type: "mailbox", actions, locations },
    { type: "mailbox", actions, datatypes: ["anything"] },
    { type: "bucket", actions: ["write"], locations },
    { type: "bucket", actions: [] },
    { type: "bucket", locations },
    { type: "bucket" },
    { type: "bucket", actions, locations: [] },
    { type: "bucket", actions, locations, privileges: ["admin"] },
    { type: "bucket", actions, Locations: locations },
    { type: "bucket", actions, identifier: bucketIds.foreign },
    { type: "bucket", actions: "read", locations },
    { type: "bucket", actions, locations: "/" },
    { type: "bucket", actions, identifier: 7 },
    { type: "bucket", actions, locations: [...locations, "/a/../b"] },
    { type: "bucket", actions, locations: [...locations, 7] },
  ];
}
