import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { blocksPerPart } from "./layout.ts";
import { NGramBitmaps } from "./n-gram-bitmaps.ts";
import { nGramsOfName } from "./n-grams-of-names.ts";

it("bitmaps have the bits of the indexed n-grams of the added names, and no others", () => {
  const indexed = [
    "a",
    "b",
    "/b",
    "bc",
    "ab",
    "abc",
    "bc/",
    "c",
    "cab",
    "/",
    "x",
    "é",
    "📷",
    "b📷",
  ];
  const name = fc.array(fc.constantFrom("a", "b", "c", "é", "📷"), { minLength: 1, maxLength: 6 });
  const block = fc.oneof(
    fc.nat(9),
    fc.constantFrom(blocksPerPart - 1, blocksPerPart, 3 * blocksPerPart + 7),
  );
  const upload = fc.record({
    names: fc.array(
      name.map((points) => points.join("")),
      { minLength: 1, maxLength: 2 },
    ),
    blocks: fc.tuple(block, block),
  });
  fc.assert(
    fc.property(fc.array(upload, { maxLength: 12 }), (uploads) => {
      const bitmaps = new NGramBitmaps(indexed, 2);
      const expected = new Set<string>();
      for (const { names, blocks: numbers } of uploads) {
        bitmaps.add(names, numbers);
        for (const nGram of names.flatMap((each) => [...nGramsOfName(each)])) {
          if (!indexed.includes(nGram)) continue;
          for (const [order, number] of numbers.entries())
            expected.add(`${nGram} ${order} ${number}`);
        }
      }
      assert.deepEqual(bitsIn(bitmaps), expected);
    }),
  );
});

function bitsIn(bitmaps: NGramBitmaps): Set<string> {
  const found = new Set<string>();
  for (const { nGram, part, bitmaps: ofOrders } of bitmaps.parts()) {
    for (const [order, bytes] of ofOrders.entries()) {
      assert.equal(bytes.length, blocksPerPart / 8);
      for (let block = 0; block < blocksPerPart; block++) {
        const isSet = ((bytes[block >> 3] ?? 0) & (128 >> (block & 7))) !== 0;
        if (isSet) found.add(`${nGram} ${order} ${part * blocksPerPart + block}`);
      }
    }
  }
  return found;
}
