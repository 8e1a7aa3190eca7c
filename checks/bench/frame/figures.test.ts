import assert from "node:assert/strict";
import { it } from "node:test";
import { threeDigits, wholeNumber, withSpread } from "./figures.ts";

it("figures have three digits, and all those before the point", () => {
  const written = [0.0123456, 0.5, 1, 12.345, 99.94, 123.4, 51_234.5].map(threeDigits);
  assert.deepEqual(written, ["0.0123", "0.500", "1.00", "12.3", "99.9", "123", "51,235"]);
});

it("whole numbers have commas between thousands", () => {
  assert.equal(wholeNumber(1_234_567.8), "1,234,568");
});

it("a spread is its median, then its ends", () => {
  assert.equal(withSpread({ median: 0.871, min: 0.8, max: 0.9 }), "0.871 (0.800–0.900)");
});
