import assert from "node:assert/strict";
import { it } from "node:test";
import { storeObject } from "./store-object.ts";

const plain = {
  key: "a",
  sizeBytes: 1,
  modifiedAtMicros: 1n,
  storageClass: "S",
  versionId: undefined,
};

for (const [listed, etag] of [
  ['"e-1"', '"e-1"'],
  ["e-1", '"e-1"'],
  ['W/"e"', 'W/"e"'],
  [undefined, ""],
  ["", ""],
  ['""', ""],
  ["null", ""],
  ['"null"', ""],
] as const) {
  it(`an object that is listed with the ETag ${listed} has ${etag || "none"}`, () => {
    assert.equal(storeObject({ ...plain, etag: listed }).s3?.etag, etag);
  });
}
