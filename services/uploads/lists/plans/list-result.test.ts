import assert from "node:assert/strict";
import { it } from "node:test";
import { Column } from "../../postgres/column.ts";
import { decodeListResult, pageBytesMax, pageBytesReached } from "./list-result.ts";

const query = { sortBy: "order", sortOrder: "asc" } as Parameters<typeof decodeListResult>[1];

function document(uploadId: string, sizeBytes: number): Buffer {
  const text = JSON.stringify({ uploadId, order: "1", text: "" });
  return Buffer.from(text.replace('""', `"${"x".repeat(sizeBytes - text.length)}"`));
}

// The access version and the comma after each value are read as well, but not part of the page.
for (const more of [-20, -3, -2, -1, 0, 1]) {
  it(`a page goes on where it was ended: ${more} bytes more than the most`, () => {
    const column = new Column();
    const sizes = [1000, pageBytesMax + more - 1001, 2000];
    column.add(Buffer.from("12345"));
    for (const [n, sizeBytes] of sizes.entries()) {
      column.add(document(`${n}`, sizeBytes));
      if (pageBytesReached(column)) break;
    }
    const { page } = decodeListResult(column, query, 50);
    assert.equal(page.rowCount, more > 0 ? 1 : 2);
    assert.equal(page.next?.uploadId, `${page.rowCount - 1}`);
  });
}

const results = [
  { values: ["7"], rowCount: 0 },
  { values: ["7", null], rowCount: 0 },
  { values: ["7", "900"], rowCount: 0, truncation: { found: 0, uploadsInBucket: 900 } },
  { values: ["7", "{}", "{}"], rowCount: 2 },
  { values: ["7", "{}", null], rowCount: 1 },
  { values: ["7", "{}", "900"], rowCount: 1, truncation: { found: 1, uploadsInBucket: 900 } },
  { values: [null, "{}", "{}", "{}"], rowCount: 2, othersFollow: true },
];
for (const { values, rowCount, truncation, othersFollow = false } of results) {
  it(`decodes ${JSON.stringify(values)} for a page of two`, () => {
    const column = new Column();
    for (const value of values) {
      if (value === null) column.addNull();
      else column.add(Buffer.from(value));
    }
    const result = decodeListResult(column, query, 2);
    assert.equal(result.accessVersion, values[0]);
    assert.equal(result.page.documents.toString(), Array(rowCount).fill("{}").join());
    assert.equal(result.page.rowCount, rowCount);
    assert.equal(result.page.next !== undefined, othersFollow);
    assert.deepEqual(result.truncation, truncation);
  });
}
