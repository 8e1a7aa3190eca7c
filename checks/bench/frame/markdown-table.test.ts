import assert from "node:assert/strict";
import { it } from "node:test";
import { type Column, markdownTable } from "./markdown-table.ts";

const columns: Column<readonly [string, number]>[] = [
  { title: "name", align: "left", cell: ([name]) => name },
  { title: "×", align: "right", cell: ([, value]) => `${value}` },
];

it("a table has a line a row, aligned for readers of either kind", () => {
  const table = markdownTable(
    [
      ["first", 1],
      ["a | b", 12_345],
    ],
    columns,
  );
  assert.equal(
    table,
    ["| name   |     × |", "| ------ | ----: |", "| first  |     1 |", "| a \\| b | 12345 |"].join(
      "\n",
    ),
  );
});

it("a table without rows is its head", () => {
  assert.equal(markdownTable([], columns), "| name |   × |\n| ---- | --: |");
});
