import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type IndexedObject, requireIndexedObject } from "./indexed-object.ts";

const indexed: IndexedObject = {
  sizeBytes: 5,
  updatedAtMicros: 1_700_000_000_700_000n,
  etag: '"listed"',
  versionId: undefined,
};
const sameTime = new Date("2023-11-14T22:13:20Z");
const otherTime = new Date("2023-11-14T22:13:22Z");

type Found = Parameters<typeof requireIndexedObject>[0];

function compare(found: Found, change: Partial<IndexedObject> = {}): void {
  requireIndexedObject({ ContentLength: 5, ...found }, { ...indexed, ...change });
}

describe("an object is the one that the index knows", () => {
  it("if its ETag is, whatever its time", () => {
    compare({ ETag: '"listed"', LastModified: otherTime });
  });

  for (const etag of ["listed", 'W/"listed"', '"listed"']) {
    it(`if its ETag is, which the store lists as ${etag}`, () => {
      compare({ ETag: '"listed"', LastModified: otherTime }, { etag });
    });
  }

  for (const etag of [undefined, "", '""', "null", '"null"', '"another"']) {
    it(`if its size and time are, and the store lists the ETag ${etag}`, () => {
      compare({ ETag: '"e"', LastModified: sameTime }, { etag });
      compare({ ETag: etag, LastModified: sameTime });
      compare({ ETag: etag, LastModified: new Date("2023-11-14T22:13:21Z") }, { etag });
    });
  }

  it("if the store tells nothing that differs", () => {
    compare({ ETag: '"another"' });
    requireIndexedObject({}, indexed);
  });

  it("if it is the version that was asked for", () => {
    const found = { ContentLength: 6, ETag: '"another"', LastModified: otherTime };
    compare(found, { versionId: "v1" });
  });
});

describe("an object was changed", () => {
  const refused: [what: string, found: Found, change?: Partial<IndexedObject>][] = [
    ["its size differs", { ContentLength: 6, ETag: '"listed"', LastModified: sameTime }],
    ["its time and its ETag differ", { ETag: '"another"', LastModified: otherTime }],
    ["its time differs, and it has no ETag", { LastModified: otherTime }, { etag: "" }],
    ["both have no ETag but null", { ETag: "null", LastModified: otherTime }, { etag: "null" }],
    ["versions were off", { ETag: '"b"', LastModified: otherTime }, { versionId: "null" }],
  ];
  for (const [what, found, change] of refused) {
    it(`if ${what}`, () => {
      assert.throws(() => compare(found, change), { reason: "CONTENT_CHANGED" });
    });
  }
});
