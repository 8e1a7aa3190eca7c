import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { NGramNumbers, nGramsOfName } from "./n-grams-of-names.ts";

it("the n-grams of a name are one, two and three code points from each of its places", () => {
  assert.deepEqual([...nGramsOfName("aé")].sort(), ["/a", "/aé", "a", "aé", "aé/", "é", "é/"]);
  assert.deepEqual([...nGramsOfName("📷")].sort(), ["/📷", "/📷/", "📷", "📷/"]);
});

it("the numbers of a name are those of its n-grams that are listed", () => {
  const point = fc.constantFrom("a", "b", "/", "\0", "\x7f", "\x80", "é", "日", "📷");
  const textOf = (maxLength: number) =>
    fc.array(point, { maxLength }).map((points) => points.join(""));
  fc.assert(
    fc.property(fc.uniqueArray(textOf(3)), fc.array(textOf(6)), (listed, names) => {
      const numbers = new NGramNumbers(listed);
      for (const name of names) {
        const nGrams = nGramsOfName(name);
        const expected = [...listed.keys()].filter((at) => nGrams.has(listed[at] ?? ""));
        assert.deepEqual([...new Set(numbers.in(name))].sort(ascending), expected);
      }
    }),
  );
});

const ascending = (one: number, other: number) => one - other;
