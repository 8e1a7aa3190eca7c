import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { PieceZones, piecesOf, zonesPerPart } from "./n-gram-bitmaps.ts";

it("the pieces of a name are one, two and three code points from each of its places", () => {
  assert.deepEqual([...piecesOf("aé")].sort(), ["/a", "/aé", "a", "aé", "aé/", "é", "é/"]);
  assert.deepEqual([...piecesOf("📷")].sort(), ["/📷", "/📷/", "📷", "📷/"]);
});

it("zones have the bits of the kept pieces of what was added, and no other", () => {
  const kept = ["a", "b", "/b", "bc", "ab", "abc", "bc/", "c", "cab", "/", "x", "📷", "b📷"];
  const name = fc.array(fc.constantFrom("a", "b", "c", "📷"), { minLength: 1, maxLength: 6 });
  const zone = fc.oneof(
    fc.nat(9),
    fc.constantFrom(zonesPerPart - 1, zonesPerPart, 3 * zonesPerPart + 7),
  );
  const upload = fc.record({
    names: fc.array(
      name.map((points) => points.join("")),
      { minLength: 1, maxLength: 2 },
    ),
    zones: fc.tuple(zone, zone),
  });
  fc.assert(
    fc.property(fc.array(upload, { maxLength: 12 }), (uploads) => {
      const zones = new PieceZones(kept, 2);
      const expected = new Set<string>();
      for (const { names, zones: numbers } of uploads) {
        zones.add(names, numbers);
        for (const piece of names.flatMap((each) => [...piecesOf(each)])) {
          if (!kept.includes(piece)) continue;
          for (const [order, number] of numbers.entries())
            expected.add(`${piece} ${order} ${number}`);
        }
      }
      assert.deepEqual(standing(zones), expected);
    }),
  );
});

function standing(zones: PieceZones): Set<string> {
  const found = new Set<string>();
  for (const { piece, part, bits } of zones.entries()) {
    for (const [order, bytes] of bits.entries()) {
      assert.equal(bytes.length, zonesPerPart / 8);
      for (let zone = 0; zone < zonesPerPart; zone++) {
        const isSet = ((bytes[zone >> 3] ?? 0) & (128 >> (zone & 7))) !== 0;
        if (isSet) found.add(`${piece} ${order} ${part * zonesPerPart + zone}`);
      }
    }
  }
  return found;
}
