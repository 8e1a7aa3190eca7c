import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultAddress } from "../address/address.ts";
import { folderEntryOf } from "./folder-level.ts";
import { folderQueryOf, withNamesakesFirst } from "./found-folders.ts";

describe("the query for folders of a search", () => {
  const queryOf = (query: string, folder = "/") =>
    folderQueryOf({ ...defaultAddress, query, folder });

  it("is that of the search, in the open folder", () => {
    assert.equal(queryOf("sea -sky in:/photos size:"), "sea -sky in:/photos");
    assert.equal(queryOf("sea", "/my photos"), 'sea in:"/my photos"');
    assert.equal(queryOf('"old town', "/a"), '"old town" in:/a');
  });

  it("is none without a word, or with filters that folders do not have", () => {
    for (const query of ["", "-sea", "in:/photos", "sea type:image", "sea -tag:x"]) {
      assert.equal(queryOf(query), undefined, query);
    }
  });

  it("is none in a folder that makes it too long", () => {
    assert.equal(queryOf("sea", `/${"x".repeat(505)}`), undefined);
  });
});

describe("the folders of a search", () => {
  const inOrder = (query: string, ...paths: string[]) =>
    withNamesakesFirst(
      paths.map((path) => folderEntryOf({ folder: { path } })),
      query,
    ).map(({ path }) => path);

  it("begin with those of the name that was searched for, in any case", () => {
    assert.deepEqual(inOrder("summer", "/a summer", "/b/Summer", "/c/summers", "/d/summer"), [
      ...["/b/Summer", "/d/summer", "/a summer", "/c/summers"],
    ]);
    assert.deepEqual(inOrder('"old town"', "/an old town", "/old town")[0], "/old town");
    assert.deepEqual(inOrder("old town in:/x", "/x/an old town", "/x/old town")[0], "/x/old town");
    assert.deepEqual(inOrder("tax 2024", "/2024/my tax", "/2024/tax")[0], "/2024/tax");
  });
});
