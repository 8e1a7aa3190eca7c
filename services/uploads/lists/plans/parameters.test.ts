import assert from "node:assert/strict";
import { it } from "node:test";
import { visibilityOf } from "../../access/visibility.ts";
import type { UploadQuery } from "../../model/upload-query.ts";
import { fetchOf, filterParameters, listScope } from "./parameters.ts";
import { lookup, sampleBucket } from "./testing/sample-bucket.ts";

function listOf(query: Partial<UploadQuery>) {
  return {
    ...sampleBucket,
    lookup,
    visibility: visibilityOf(["/"], [], undefined),
    query: { ...newest, ...query },
  };
}

function parametersOf(query: Partial<UploadQuery>) {
  const list = listOf(query);
  const scope = listScope(list) ?? assert.fail("it grants something");
  return filterParameters(list, scope);
}

const noTags = { allOf: [], anyOf: [], noneOf: [] };
const newest: UploadQuery = {
  path: undefined,
  recursive: false,
  tags: noTags,
  createdFrom: undefined,
  createdTo: undefined,
  name: undefined,
  sortBy: "created_at",
  sortOrder: "desc",
};

it("indexes find the tags that every upload of a list has, and no others", () => {
  const needed = ["a", "b"];
  const isFoundBy = (tags: Partial<typeof noTags>) => {
    const { signature } = parametersOf({ tags: { ...noTags, ...tags } });
    return { signature, pattern: fetchOf(listOf({ tags: { ...noTags, ...tags } }))?.pattern };
  };
  const both = isFoundBy({ allOf: needed } as object);
  assert.notEqual(both.signature, 0n);
  assert.deepEqual(isFoundBy({ allOf: ["a"], anyOf: ["b"] } as object), both);
  const none = { signature: 0n, pattern: undefined };
  assert.deepEqual(isFoundBy({ anyOf: needed } as object), none);
  assert.deepEqual(isFoundBy({ noneOf: ["a"] } as object), none);
});

it("a folder alone is a range of keys", () => {
  const { rangeStarts, rangeEnds } = parametersOf({ path: "/a" });
  assert.deepEqual([rangeStarts, rangeEnds], [["\u0001a"], ["\u0001a\u0001"]]);
});
