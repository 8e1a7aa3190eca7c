import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { arbitraryPath } from "../model/testing/arbitrary-path.ts";
import { treeKey } from "../model/tree-key.ts";
import { compareBytes } from "../model/tree-key-range.ts";
import type { RowContent, TreeRowSink } from "./rows.ts";
import { UploadOrder } from "./upload-order.ts";
import { TreeWalk } from "./walk.ts";

interface Folder {
  readonly path: string;
  readonly uploads: readonly { readonly filename: string; readonly uploadId: string }[];
}

type Row = (sink: TreeRowSink) => void;

const totals = { uploadCount: 0, sizeBytes: 0 };
const content = (document: object): RowContent => ({
  document: Buffer.from(JSON.stringify(document)),
  members: undefined,
});

const noContent: RowContent = { document: Buffer.alloc(0), members: undefined };

function folderRow(path: string, hasDocument = true): Row {
  const folderId = "0b5c1d9e-3a58-4a5e-9c0e-000000000001";
  const folder = {
    key: Buffer.from(treeKey(path)),
    content: hasDocument ? content({ folderId, path, parentPath: "" }) : noContent,
    isAncestorOnly: false,
    pathMatches: true,
    hasMatchingUpload: true,
    ownTotals: totals,
  };
  return (sink) => sink.folder(folder);
}

function rowsOf(folders: readonly Folder[]): Row[] {
  return folders.flatMap(({ path, uploads }) => [
    folderRow(path),
    ...uploads.map(({ uploadId, filename }): Row => {
      const upload = content({ uploadId, filename, path, slug: "" });
      return (sink) => sink.upload(upload);
    }),
  ]);
}

/** Reads the rows and returns the number of uploads in the tree. */
function read(rows: readonly Row[]): number {
  let uploadCount = 0;
  const sink = { open() {}, upload: () => (uploadCount += 1), close() {} };
  const noFilter = { path: undefined, upload: undefined, onlyMatches: false, depthMax: 0 };
  const checked = new UploadOrder(new TreeWalk(noFilter, sink, (kept) => kept));
  for (const row of rows) row(checked);
  return uploadCount;
}

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", '"', "\\", "\u0001", "é", "😀"), maxLength: 4 }),
  fc.constantFrom("[", "]", "^", "#", "!"),
);
const upload = fc.record({ filename: text, uploadId: text });
const tree = fc
  .uniqueArray(fc.record({ path: arbitraryPath, uploads: fc.array(upload, { maxLength: 4 }) }), {
    selector: ({ path }) => path,
    maxLength: 5,
  })
  .map((folders): Folder[] =>
    [{ path: "/", uploads: [] }, ...folders.filter(({ path }) => path !== "/")]
      .sort((a, b) => compareBytes(treeKey(a.path), treeKey(b.path)))
      .map(({ path, uploads }) => ({ path, uploads: sortedUploads(uploads) })),
  );

function sortedUploads(uploads: Folder["uploads"]): Folder["uploads"] {
  const unique = new Map(uploads.map((one) => [`${one.filename}\0${one.uploadId}`, one]));
  return [...unique.values()].sort(
    (a, b) =>
      Buffer.compare(Buffer.from(a.filename), Buffer.from(b.filename)) ||
      Buffer.compare(Buffer.from(a.uploadId), Buffer.from(b.uploadId)),
  );
}

describe("the rows of a tree", () => {
  it("are accepted in tree order, uploads by filename, then ID", () => {
    fc.assert(
      fc.property(tree, (folders) => {
        const uploadCount = folders.flatMap(({ uploads }) => uploads).length;
        assert.equal(read(rowsOf(folders)), uploadCount);
      }),
    );
  });

  it("are refused when any two of them are swapped", () => {
    fc.assert(
      fc.property(tree, fc.nat(), fc.nat(), (folders, a, b) => {
        const rows = rowsOf(folders);
        const [first, second] = [a % rows.length, b % rows.length];
        fc.pre(first !== second);
        const [rowA, rowB] = [rows[first], rows[second]];
        assert.ok(rowA && rowB);
        rows[first] = rowB;
        rows[second] = rowA;
        assert.throws(() => read(rows), /^Error: Cannot show a tree: /);
      }),
      { numRuns: 1000 },
    );
  });

  it("may be folders without a document, which must not have uploads", () => {
    const [, upload] = rowsOf([{ path: "/", uploads: [{ filename: "a", uploadId: "1" }] }]);
    const rows = [folderRow("/"), folderRow("/a", false), folderRow("/a/b", false)];
    assert.equal(read(rows), 0);
    assert.ok(upload);
    assert.throws(() => read([...rows, upload]), /follows a folder that lists no uploads/);
  });

  it("are refused when an upload or a folder is repeated", () => {
    const folders = [{ path: "/", uploads: [{ filename: "a", uploadId: "1" }] }];
    const rows = rowsOf(folders);
    for (const row of rows) assert.throws(() => read([...rows, row]), /^Error: Cannot show a tree/);
  });
});
