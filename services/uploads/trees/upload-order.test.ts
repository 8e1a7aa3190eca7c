import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { arbitraryPath } from "../model/testing/arbitrary-path.ts";
import { treeKey } from "../model/tree-key.ts";
import { compareBytes } from "../model/tree-key-range.ts";
import { UploadOrder } from "./upload-order.ts";

interface Folder {
  readonly path: string;
  readonly uploads: readonly { readonly filename: string; readonly uploadId: string }[];
}

type Row = (order: UploadOrder) => void;

const bytes = (text: string) => Buffer.from(text);

function folderRow(path: string): Row {
  return (order) => order.folder(bytes(treeKey(path)));
}

function uploadRow(path: string, filename: string, uploadId: string): Row {
  const key = { folderKey: bytes(treeKey(path)), filename: bytes(filename) };
  return (order) => order.upload({ ...key, uploadId: bytes(uploadId) });
}

function rowsOf(folders: readonly Folder[]): Row[] {
  return folders.flatMap(({ path, uploads }) => [
    folderRow(path),
    ...uploads.map(({ uploadId, filename }) => uploadRow(path, filename, uploadId)),
  ]);
}

function check(rows: readonly Row[]): void {
  const order = new UploadOrder();
  for (const row of rows) row(order);
}

const text = fc.string({
  unit: fc.constantFrom("a", "b", '"', "\\", "\u0001", "é", "😀"),
  maxLength: 4,
});

const orderedFolders: fc.Arbitrary<Folder[]> = fc
  .uniqueArray(
    fc.record({
      path: arbitraryPath,
      uploads: fc
        .uniqueArray(fc.record({ filename: text, uploadId: text }), {
          selector: ({ filename, uploadId }) => JSON.stringify([filename, uploadId]),
          maxLength: 6,
        })
        .map((uploads) =>
          uploads.toSorted(
            (one, other) =>
              compareBytes(one.filename, other.filename) ||
              compareBytes(one.uploadId, other.uploadId),
          ),
        ),
    }),
    { selector: ({ path }) => path, minLength: 1, maxLength: 4 },
  )
  .map((folders) =>
    folders.toSorted((one, other) => compareBytes(treeKey(one.path), treeKey(other.path))),
  );

describe("UploadOrder", () => {
  it("accepts the uploads of each folder by filename, then ID, by their bytes", () => {
    fc.assert(fc.property(orderedFolders, (folders) => check(rowsOf(folders))));
  });

  it("refuses any other order", () => {
    const property = fc.property(orderedFolders, fc.nat(), fc.nat(), (folders, from, to) => {
      const rows = rowsOf(folders);
      const uploads = rows.flatMap((_, at) => (isUpload(folders, at) ? [at] : []));
      const one = uploads[from % uploads.length];
      const other = uploads[to % uploads.length];
      fc.pre(one !== undefined && other !== undefined && one !== other);
      [rows[one], rows[other]] = [rows[other] as Row, rows[one] as Row];
      assert.throws(() => check(rows), /^Error: Cannot show a tree: the row of an upload/);
    });
    fc.assert(property);
  });

  it("refuses an upload of another folder, and one before any folder", () => {
    assert.throws(
      () => check([folderRow("/a"), uploadRow("/b", "x", "1")]),
      /does not follow its folder$/,
    );
    assert.throws(() => check([uploadRow("/a", "x", "1")]), /does not follow its folder$/);
  });

  it("refuses the same upload twice", () => {
    const twice = [folderRow("/a"), uploadRow("/a", "x", "1"), uploadRow("/a", "x", "1")];
    assert.throws(() => check(twice), /does not follow the one before it$/);
  });
});

function isUpload(folders: readonly Folder[], at: number): boolean {
  let first = 0;
  for (const { uploads } of folders) {
    if (at === first) return false;
    if (at <= first + uploads.length) return true;
    first += 1 + uploads.length;
  }
  return false;
}
