import assert from "node:assert/strict";
import { it } from "node:test";
import { Column } from "../postgres/column.ts";
import { isEnough, readPlan } from "./read-page.ts";

const pageBytesMax = 8 * 1024 * 1024;
const query = { sortBy: "order", sortOrder: "asc" } as Parameters<typeof readPlan>[1];

function document(uploadId: string, sizeBytes: number): Buffer {
  const text = JSON.stringify({ uploadId, order: "1", text: "" });
  return Buffer.from(text.replace('""', `"${"x".repeat(sizeBytes - text.length)}"`));
}

// The access version and the comma after each value are read as well, but not part of the page.
for (const more of [-20, -3, -2, -1, 0, 1]) {
  it(`a page goes on where it was ended: ${more} bytes more than the most`, () => {
    const column = new Column();
    const sizes = [1000, pageBytesMax + more - 1001, 2000];
    column.add(Buffer.from("12345"), 0, 5);
    for (const [n, sizeBytes] of sizes.entries()) {
      column.add(document(`${n}`, sizeBytes), 0, sizeBytes);
      if (isEnough(column)) break;
    }
    const { page } = readPlan(column, query, { pageSize: 50, after: undefined });
    assert.equal(page.rowCount, more > 0 ? 1 : 2);
    assert.equal(page.next?.uploadId, `${page.rowCount - 1}`);
  });
}
