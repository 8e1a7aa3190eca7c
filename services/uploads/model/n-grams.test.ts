import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { nGramsOfName } from "../skip-index/n-grams-of-names.ts";
import { allNGrams } from "./n-grams.ts";
import { searchPattern } from "./name-pattern.ts";
import { matchingName } from "./testing/matching-name.ts";

it("the n-grams of a search are all of three characters, or its texts that are shorter", () => {
  const of = (search: string) => allNGrams(searchPattern(search));
  assert.deepEqual(of("readme"), ["rea", "ead", "adm", "dme"]);
  assert.deepEqual(of("写真"), ["写真"]);
  assert.deepEqual(of("📷"), ["📷"]);
  assert.deepEqual(of("a?c*d*"), ["/a", "c", "d"]);
  assert.deepEqual(of("*.go"), [".go", "go/"]);
  assert.deepEqual(of("*"), []);
});

it("the n-grams of a search are in every name that matches", () => {
  fc.assert(
    fc.property(matchingName, ({ name, patterns }) => {
      const inBitmaps = nGramsOfName(name);
      for (const nGram of patterns.flatMap(allNGrams)) assert.ok(inBitmaps.has(nGram), nGram);
    }),
  );
});
