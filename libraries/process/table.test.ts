import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tableText } from "./table.ts";

const headings = ["NAME", "UPLOADS", "STATE"];
const rows = [
  ["photos", "1,346", "idle"],
  ["a", "7", ""],
];

describe("tableText()", () => {
  it("aligns columns, and numbers to the right", () => {
    const table = "NAME    UPLOADS  STATE\nphotos    1,346  idle\na             7\n";
    assert.equal(tableText(headings, rows, 22), table);
    assert.equal(tableText(headings, rows, undefined), table);
  });

  it("escapes what steers terminals, before it measures", () => {
    assert.equal(
      tableText(["A", "B"], [["\u202e\n", "b"]], 14),
      "A           B\n\\u{202e}\\n  b\n",
    );
  });

  it("makes a block of each row if a line does not fit the terminal", () => {
    assert.equal(
      tableText(headings, rows, 21),
      "NAME     photos\nUPLOADS  1,346\nSTATE    idle\n\nNAME     a\nUPLOADS  7\nSTATE\n",
    );
  });
});
