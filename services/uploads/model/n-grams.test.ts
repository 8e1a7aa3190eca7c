import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { nGramsOfName } from "../skip-index/n-grams-of-names.ts";
import { allNGrams, termNGrams } from "./n-grams.ts";
import { type NamePattern, namePattern, searchPattern } from "./name-pattern.ts";

const of = (search: string) => termNGrams(searchPattern(search));

describe("the n-grams of a search", () => {
  it("are adjacent threes, the last of them at the end", () => {
    assert.deepEqual(of("readme").nGrams, ["rea", "dme"]);
    assert.deepEqual(of("ReadMe.md").nGrams, ["rea", "dme", ".md"]);
    assert.deepEqual(of("invoice").nGrams, ["inv", "oic", "ice"]);
    assert.deepEqual(of("aaaaaa").nGrams, ["aaa"]);
  });

  it("are prefixes if the search is shorter than an n-gram", () => {
    assert.deepEqual(of("xq"), { nGrams: [], prefixes: ["xq"], nameLength: undefined });
    assert.deepEqual(of("写").prefixes, ["写"]);
    assert.deepEqual(of("📷").prefixes, ["📷"]);
  });

  it("mark where a name begins and ends", () => {
    assert.deepEqual(of("*.pdf").nGrams, [".pd", "df/"]);
    assert.deepEqual(of("report*").nGrams, ["/re", "por", "ort"]);
    assert.deepEqual(of("z*"), { nGrams: [], prefixes: ["/z"], nameLength: undefined });
    // At the end of a name, two code points are an n-gram.
    assert.deepEqual(of("*f"), { nGrams: ["f/"], prefixes: [], nameLength: undefined });
    assert.deepEqual(of("a?c"), { nGrams: ["c/"], prefixes: [], nameLength: 3 });
  });

  it("are only the first of a short extension if there are others", () => {
    assert.deepEqual(of("*2019*.pdf").nGrams, ["201", "019", ".pd"]);
    assert.deepEqual(of("readme*.md").nGrams, ["/re", "adm", "dme", ".md"]);
    assert.deepEqual(of("*2019*.jpeg").nGrams, ["201", "019", ".jp", "eg/"]);
    assert.deepEqual(of("q*.md"), {
      nGrams: [".md", "md/"],
      prefixes: [],
      nameLength: undefined,
    });
  });

  it("are all of them for the skip index, however short", () => {
    const all = (search: string) => allNGrams(searchPattern(search));
    assert.deepEqual(all("readme"), ["rea", "ead", "adm", "dme"]);
    assert.deepEqual(all("写真"), ["写真"]);
    assert.deepEqual(all("📷"), ["📷"]);
    assert.deepEqual(all("a?c*d*"), ["/a", "c", "d"]);
    assert.deepEqual(all("*.go"), [".go", "go/"]);
    assert.deepEqual(all("*"), []);
  });

  it("are empty for a pattern without literal text", () => {
    const nothing = { nGrams: [], prefixes: [], nameLength: undefined };
    assert.deepEqual(of("*"), nothing);
    assert.deepEqual(of("*?*"), nothing);
    assert.deepEqual(of("??"), { ...nothing, nameLength: 2 });
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
  const { nGrams, prefixes, nameLength } = termNGrams(pattern);
  const marked = [..."/", ...name, "/"];
  const indexed = marked.slice(1).map((_, index) => marked.slice(index, index + 3).join(""));
  for (const nGram of nGrams) assert.ok(indexed.includes(nGram), `${nGram} in ${name}`);
  for (const prefix of prefixes) {
    assert.ok(
      indexed.some((nGram) => nGram.startsWith(prefix)),
      `${prefix} in ${name}`,
    );
  }
  if (nameLength !== undefined) assert.equal([...name].length, nameLength);
  const inBitmaps = nGramsOfName(name);
  for (const nGram of allNGrams(pattern)) assert.ok(inBitmaps.has(nGram), nGram);
}
