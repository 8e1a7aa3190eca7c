import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultAddress } from "../address/address.ts";
import { folderQueryOf } from "./found-folders.ts";

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

  it("is none in a folder that the language cannot write, or that makes it too long", () => {
    assert.equal(queryOf("sea", '/a "b"'), undefined);
    assert.equal(queryOf("sea", `/${"x".repeat(505)}`), undefined);
  });
});
