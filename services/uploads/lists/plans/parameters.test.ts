import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { visibilityOf } from "../../access/visibility.ts";
import type { UploadQuery } from "../../model/upload-query.ts";
import { filterParameters, isSelective, listScope } from "./parameters.ts";

const bucketId = "0b5c1d9e-3a58-4a5e-9c0e-0000000000aa";
const lookup = { organisationId: "o", clientId: "c", name: { bucketId } };

const query: UploadQuery = {
  path: undefined,
  recursive: false,
  tags: { allOf: [], anyOf: [], noneOf: [] },
  createdFrom: undefined,
  createdTo: undefined,
  name: undefined,
  sortBy: "created_at",
  sortOrder: "desc",
};

/** The folders by which the inverted index finds all that a token grants. */
function foldersFor(locations: readonly string[]): readonly string[] {
  const list = { bucketId, lookup, visibility: visibilityOf(locations, [], undefined), query };
  const scope = listScope(list) ?? assert.fail("it grants something");
  const { coveringFolders } = filterParameters(list, scope);
  assert.equal(isSelective(list, scope), coveringFolders.length > 0);
  return coveringFolders;
}

describe("a list of everything that a token grants", () => {
  const locations = Array.from({ length: 257 }, (_, number) => `/clients/${1000 + number}`);

  it("is found by the locations, also if they are many", () => {
    const some = locations.slice(0, 256);
    const keys = some.map((path) => path.replaceAll("/", "\u0001"));
    assert.deepEqual(foldersFor(some), keys);
  });

  it("is not found by more locations than are worth looking up", () => {
    assert.deepEqual(foldersFor(locations), []);
  });

  it("is not found by its location if that is the bucket", () => {
    assert.deepEqual(foldersFor(["/"]), []);
  });
});

describe("a list without some tags", () => {
  it("leaves out by rows alone what a tag with the separator of index entries names", () => {
    const tags = { allOf: [], anyOf: [], noneOf: ["a\u0001b", "c"] };
    const visibility = visibilityOf(["/"], [], undefined);
    const list = { bucketId, lookup, visibility, query: { ...query, tags } };
    const scope = listScope(list) ?? assert.fail("it grants something");
    const { tagsNoneOf, tagPatternsNoneOf } = filterParameters(list, scope);
    assert.deepEqual(tagsNoneOf, tags.noneOf);
    // An entry with the tags a and b holds the same text as one with the tag that is both.
    assert.deepEqual(tagPatternsNoneOf, ["%\u0001c\u0001%"]);
  });
});
