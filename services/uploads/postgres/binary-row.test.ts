import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { BinaryRow } from "./binary-row.ts";

type Values = (Buffer | null)[];

/** The values as the PostgreSQL manual has them ("Message Formats", DataRow). */
function bytesOf(values: Values): Buffer {
  const parts: Buffer[] = [integer(2, values.length)];
  for (const value of values) parts.push(integer(4, value?.length ?? -1), value ?? Buffer.of());
  return Buffer.concat(parts);
}

function integer(sizeBytes: number, value: number) {
  const bytes = Buffer.alloc(sizeBytes);
  bytes.writeIntBE(value, 0, sizeBytes);
  return bytes;
}

describe("BinaryRow", () => {
  it("reads each row of any table", () => {
    const values = fc.option(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)));
    const tables = fc
      .integer({ min: 1, max: 5 })
      .chain((width) => fc.array(fc.array(values, { minLength: width, maxLength: width })));
    fc.assert(
      fc.property(tables, (rows) => {
        const row = new BinaryRow();
        for (const values of rows) {
          row.read(bytesOf(values));
          const read = values.map((_, index) => row.text(index) ?? null);
          assert.deepEqual(read, values);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("reads booleans and integers, null as false and 0", () => {
    const most = Buffer.alloc(8);
    most.writeBigInt64BE(BigInt(Number.MAX_SAFE_INTEGER));
    const row = new BinaryRow();
    row.read(bytesOf([Buffer.of(1), Buffer.of(0), null, most, null]));
    assert.deepEqual(
      [0, 1, 2].map((index) => row.isTrue(index)),
      [true, false, false],
    );
    assert.deepEqual(
      [3, 4].map((index) => row.integer(index)),
      [Number.MAX_SAFE_INTEGER, 0],
    );
  });
});
