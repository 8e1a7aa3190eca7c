import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { nGramsOf as standingPieces } from "../import/skip-index/n-gram-bitmaps.ts";
import { namePieces, overlappingPieces } from "./n-grams.ts";
import { type NamePattern, namePattern, searchPattern } from "./name-pattern.ts";

const piecesOf = (search: string) => namePieces(searchPattern(search));

describe("the pieces of a search", () => {
  it("are its threes, side by side, the last of them at the end", () => {
    assert.deepEqual(piecesOf("readme").whole, ["rea", "dme"]);
    assert.deepEqual(piecesOf("ReadMe.md").whole, ["rea", "dme", ".md"]);
    assert.deepEqual(piecesOf("invoice").whole, ["inv", "oic", "ice"]);
    assert.deepEqual(piecesOf("aaaaaa").whole, ["aaa"]);
  });

  it("are beginnings of pieces where it is too short", () => {
    assert.deepEqual(piecesOf("xq"), { whole: [], beginnings: ["xq"], length: undefined });
    assert.deepEqual(piecesOf("写").beginnings, ["写"]);
    assert.deepEqual(piecesOf("📷").beginnings, ["📷"]);
  });

  it("know where a name begins and ends", () => {
    assert.deepEqual(piecesOf("*.pdf").whole, [".pd", "df/"]);
    assert.deepEqual(piecesOf("report*").whole, ["/re", "por", "ort"]);
    assert.deepEqual(piecesOf("z*"), { whole: [], beginnings: ["/z"], length: undefined });
    // At the end of a name a piece of two is whole.
    assert.deepEqual(piecesOf("*f"), { whole: ["f/"], beginnings: [], length: undefined });
    assert.deepEqual(piecesOf("a?c"), { whole: ["c/"], beginnings: [], length: 3 });
  });

  it("are the beginning of a short extension, where there are others", () => {
    assert.deepEqual(piecesOf("*2019*.pdf").whole, ["201", "019", ".pd"]);
    assert.deepEqual(piecesOf("readme*.md").whole, ["/re", "adm", "dme", ".md"]);
    assert.deepEqual(piecesOf("*2019*.jpeg").whole, ["201", "019", ".jp", "eg/"]);
    assert.deepEqual(piecesOf("q*.md"), {
      whole: [".md", "md/"],
      beginnings: [],
      length: undefined,
    });
  });

  it("are all that stand in it for zones, however short", () => {
    const of = (search: string) => overlappingPieces(searchPattern(search));
    assert.deepEqual(of("readme"), ["rea", "ead", "adm", "dme"]);
    assert.deepEqual(of("写真"), ["写真"]);
    assert.deepEqual(of("📷"), ["📷"]);
    assert.deepEqual(of("a?c*d*"), ["/a", "c", "d"]);
    assert.deepEqual(of("*.go"), [".go", "go/"]);
    assert.deepEqual(of("*"), []);
  });

  it("are none where a pattern says nothing of them", () => {
    const nothing = { whole: [], beginnings: [], length: undefined };
    assert.deepEqual(piecesOf("*"), nothing);
    assert.deepEqual(piecesOf("*?*"), nothing);
    assert.deepEqual(piecesOf("??"), { ...nothing, length: 2 });
  });

  it("are found in every name that matches", () => {
    const text = fc.array(fc.constantFrom("a", "b", "é", "📷", "."), { maxLength: 12 });
    const name = text.filter((characters) => characters.length > 0);
    fc.assert(
      fc.property(name, fc.array(fc.nat()), fc.nat(), fc.nat(), (characters, cuts, from, to) => {
        const ofName = characters.join("");
        const { length } = characters;
        const part = characters.slice(from % length, (from % length) + 1 + (to % length)).join("");
        const pattern = characters
          .map((character, index) => ["*", "?", character, character][(cuts[index] ?? 3) % 4])
          .join("");
        assertHas(ofName, namePattern("contains", part, false));
        assertHas(ofName, namePattern("glob", pattern, false));
        assertHas(ofName, namePattern("equals", ofName, false));
        assertHas(ofName, namePattern("prefix", characters[0] ?? "", false));
      }),
    );
  });
});

function assertHas(name: string, pattern: NamePattern) {
  const { whole, beginnings, length } = namePieces(pattern);
  const marked = [..."/", ...name, "/"];
  const pieces = marked.slice(1).map((_, index) => marked.slice(index, index + 3).join(""));
  for (const piece of whole) assert.ok(pieces.includes(piece), `${piece} in ${name}`);
  for (const beginning of beginnings) {
    assert.ok(
      pieces.some((piece) => piece.startsWith(beginning)),
      `${beginning} in ${name}`,
    );
  }
  if (length !== undefined) assert.equal([...name].length, length);
  const standing = standingPieces(name);
  for (const piece of overlappingPieces(pattern)) assert.ok(standing.has(piece), piece);
}
