import assert from "node:assert/strict";
import { it } from "node:test";
import { markdownTable, threeDigits, wholeNumber } from "./tables.ts";

it("figures have three digits, and all those before the point", () => {
  const written = [0.0123456, 0.5, 1, 12.345, 99.94, 123.4, 51_234.5].map(threeDigits);
  assert.deepEqual(written, ["0.0123", "0.500", "1.00", "12.3", "99.9", "123", "51,235"]);
  assert.equal(wholeNumber(1_234_567.8), "1,234,568");
});

it("a table is aligned, and its numbers are on the right", () => {
  const rows = [
    ["first", "1"],
    ["a | b", "12,345"],
    ["3", ""],
  ];
  const lines = [
    "| name   |      × |",
    "| ------ | -----: |",
    "| first  |      1 |",
    "| a \\| b | 12,345 |",
    "| 3      |        |",
  ];
  assert.equal(markdownTable(["name", "×"], rows), lines.join("\n"));
});

it("a table without rows is its head", () => {
  assert.equal(markdownTable(["name", "×"], []), "| name | ×   |\n| ---- | --- |");
});
