import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { CopiedRow } from "./copied-row.ts";

type Values = (Buffer | null)[];

/** A COPY of the rows, in messages, as the PostgreSQL manual has it (COPY, "Binary Format"). */
function messagesOf(rows: readonly Values[]): Buffer[] {
  const header = Buffer.concat([Buffer.from("PGCOPY\n\xff\r\n\0", "latin1"), Buffer.alloc(8)]);
  const messages = rows.map((values) => {
    const parts: Buffer[] = [integer(2, values.length)];
    for (const value of values) parts.push(integer(4, value?.length ?? -1), value ?? Buffer.of());
    return Buffer.concat(parts);
  });
  const [first, ...others] = [...messages, integer(2, -1)];
  return [Buffer.concat([header, first ?? header]), ...others];
}

function integer(sizeBytes: number, value: number) {
  const bytes = Buffer.alloc(sizeBytes);
  bytes.writeIntBE(value, 0, sizeBytes);
  return bytes;
}

describe("CopiedRow", () => {
  it("reads each row of any table", () => {
    const values = fc.option(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)));
    const tables = fc
      .integer({ min: 1, max: 5 })
      .chain((width) => fc.array(fc.array(values, { minLength: width, maxLength: width })));
    fc.assert(
      fc.property(tables, (rows) => {
        const row = new CopiedRow();
        const read: Values[] = [];
        for (const message of messagesOf(rows)) {
          if (row.read(message)) {
            read.push((rows[read.length] ?? []).map((_, index) => row.text(index) ?? null));
          }
        }
        assert.deepEqual(read, rows);
      }),
      { numRuns: 1000 },
    );
  });

  it("reads booleans and integers, null as false and 0", () => {
    const most = Buffer.alloc(8);
    most.writeBigInt64BE(BigInt(Number.MAX_SAFE_INTEGER));
    const [message = most] = messagesOf([[Buffer.of(1), Buffer.of(0), null, most, null]]);
    const row = new CopiedRow();
    assert.ok(row.read(message));
    assert.deepEqual(
      [0, 1, 2].map((index) => row.isTrue(index)),
      [true, false, false],
    );
    assert.deepEqual(
      [3, 4].map((index) => row.integer(index)),
      [Number.MAX_SAFE_INTEGER, 0],
    );
  });

  it("takes a header without a row", () => {
    const [message = Buffer.of()] = messagesOf([]);
    const row = new CopiedRow();
    assert.equal(row.read(message.subarray(0, 19)), false);
    assert.equal(row.read(integer(2, -1)), false);
  });
});
