import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { idPrefix } from "../model/id-prefix.ts";
import { compareBytes } from "../model/tree-key-range.ts";
import { BinaryRow } from "../postgres/binary-row.ts";
import { UploadOrder } from "./upload-order.ts";

interface Upload {
  readonly filename: string;
  readonly uploadId: string;
}

/** A row of a folder, or of an upload in the folder with that position. */
interface Row {
  readonly position: bigint;
  readonly upload?: Upload;
}

/** What is written of the uploads, one after the other. */
function written(rows: readonly Row[]): string[] {
  const uploads: string[] = [];
  const order = new UploadOrder({
    columns: { position: 0, filename: 1, uploadId: 2 },
    write(row, output) {
      output.add(Buffer.from(`${row.text(1)}/${row.text(2)}`));
    },
    pass: (upload) => uploads.push(upload.toString()),
  });
  for (const row of rows) {
    if (row.upload === undefined) order.folder(binaryRow(row));
    else order.upload(binaryRow(row));
  }
  order.passHeld();
  return uploads;
}

const textOf = ({ filename, uploadId }: Upload) => `${filename}/${uploadId}`;

/** The values as the PostgreSQL manual has them ("Message Formats", DataRow). */
function binaryRow({ position, upload }: Row): BinaryRow {
  const positionBytes = Buffer.alloc(8);
  positionBytes.writeBigInt64BE(position);
  const texts = upload === undefined ? [] : [upload.filename, upload.uploadId];
  const values = [positionBytes, ...texts.map((text) => Buffer.from(text))];
  const row = new BinaryRow();
  row.read(
    Buffer.concat([integer(2, values.length), ...values.flatMap((v) => [integer(4, v.length), v])]),
  );
  return row;
}

function integer(sizeBytes: number, value: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  bytes.writeIntBE(value, 0, sizeBytes);
  return bytes;
}

const text = fc.string({
  unit: fc.constantFrom("a", "b", '"', "\\", "\u0001", "é", "😀"),
  maxLength: 3,
});
const uploadId = fc.oneof(
  text,
  fc.constantFrom("", "0", "a", "\u{10ffff}").map((rest) => `abcdef0${rest}`),
);

const compare = (one: Upload, other: Upload) =>
  compareBytes(one.filename, other.filename) || compareBytes(one.uploadId, other.uploadId);

/** The uploads of each folder, in order. */
const folders: fc.Arbitrary<Upload[][]> = fc.array(
  fc
    .uniqueArray(fc.record({ filename: text, uploadId }), { selector: textOf, maxLength: 12 })
    .map((uploads) => uploads.toSorted(compare)),
  { minLength: 1, maxLength: 4 },
);

const areTied = (one: Upload, other: Upload) =>
  one.filename === other.filename && idPrefix(one.uploadId) === idPrefix(other.uploadId);

/** As an index has them: those that are tied in any order, here in the opposite one. */
function rowsOf(uploads: readonly Upload[][]): Row[] {
  return uploads.flatMap((ofFolder, index) => {
    const position = BigInt(index + 1) << 36n;
    const rows = ofFolder.toSorted(
      (one, other) => compare(one, other) * (areTied(one, other) ? -1 : 1),
    );
    return [{ position }, ...rows.map((upload) => ({ position, upload }))];
  });
}

describe("UploadOrder", () => {
  it("writes the uploads of each folder by filename, then ID, by their bytes", () => {
    const property = fc.property(folders, (uploads) => {
      assert.deepEqual(written(rowsOf(uploads)), uploads.flat().map(textOf));
    });
    fc.assert(property, { numRuns: 1000 });
  });

  it("refuses any other order", () => {
    const property = fc.property(folders, fc.nat(), fc.nat(), (uploads, from, to) => {
      const rows = rowsOf(uploads);
      const ofUploads = rows.filter(({ upload }) => upload !== undefined);
      const one = ofUploads[from % ofUploads.length];
      const other = ofUploads[to % ofUploads.length];
      fc.pre(one?.upload !== undefined && other?.upload !== undefined);
      fc.pre(one.position !== other.position || !areTied(one.upload, other.upload));
      const swap = new Map([
        [one, other],
        [other, one],
      ]);
      const swapped = rows.map((row) => swap.get(row) ?? row);
      assert.throws(() => written(swapped), /^Error: Cannot show a tree: the row of an upload/);
    });
    fc.assert(property);
  });

  const upload = { filename: "x", uploadId: "1" };

  it("refuses an upload of another folder, and one before any folder", () => {
    const other = [{ position: 1n }, { position: 2n, upload }];
    assert.throws(() => written(other), /does not follow its folder$/);
    assert.throws(() => written([{ position: 1n, upload }]), /does not follow its folder$/);
  });

  it("refuses the same upload twice", () => {
    const twice = [{ position: 1n }, { position: 1n, upload }, { position: 1n, upload }];
    assert.throws(() => written(twice), /does not follow the one before it$/);
  });
});
