import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { searchPattern } from "../model/name-pattern.ts";
import { matchingName } from "../model/testing/matching-name.ts";
import { searchedPattern, searchWords } from "./search-words.ts";

const tag = fc.constantFrom("red", "green", "", "Größe", "📷", "\u0001");
const pattern = (search: string) => searchedPattern(searchPattern(search));

describe("the text that the index of names has of an upload", () => {
  it("matches the pattern of every search that finds it", () => {
    const uploads = fc.record({
      filename: matchingName,
      slug: fc.option(matchingName, { nil: undefined }),
      tags: fc.array(tag),
      asked: fc.nat(),
    });
    fc.assert(
      fc.property(uploads, ({ filename, slug, tags, asked }) => {
        const words = searchWords(filename.name, slug?.name, tags);
        const text = words === undefined ? filename.name : `${filename.name} ${words}`;
        const patterns = [...filename.patterns, ...(slug?.patterns ?? []), undefined];
        for (const name of patterns) {
          const searched = searchedPattern(name, tags.slice(asked % (tags.length + 1)));
          if (searched !== undefined) assert.match(text, regularExpression(searched));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("has no more than the filename if that is enough", () => {
    assert.equal(searchWords("img_0001.jpg", undefined, []), undefined);
  });
});

describe("the pattern of a search", () => {
  it("has the texts, and words for what has no trigram", () => {
    assert.equal(pattern("report"), "%report%");
    assert.equal(pattern("50%_x\\"), undefined);
    assert.equal(pattern("img_0?.jpg"), "%img\\_0%.jpg%");
    assert.match(pattern("zq") ?? "", /^%zq% q\w{3} %$/);
    assert.match(pattern("写真") ?? "", /^%写真% q\w{3} %q\w{3} %q\w{3} %$/);
    assert.match(searchedPattern(undefined, ["red", "green"]) ?? "", /^% t\w{5} %t\w{5} %$/);
  });

  it("is missing if scanning finds the uploads sooner", () => {
    for (const search of ["e", "or", "*", "??-*", "-7", "a/b"]) {
      assert.equal(pattern(search), undefined, search);
    }
  });
});

function regularExpression(like: string): RegExp {
  const parts = like.match(/\\[\s\S]|[\s\S]/gu) ?? [];
  const source = parts.map((part) => {
    if (part === "%") return ".*";
    return RegExp.escape(part.startsWith("\\") ? part.slice(1) : part);
  });
  return new RegExp(`^${source.join("")}$`, "su");
}
