import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Address, defaultAddress } from "../address/address.ts";
import type { FolderEntry } from "../folders/folder-level.ts";
import { ListEntries, openingOfEntry, sortedFolders } from "./list-entries.ts";
import { TwoEndedList } from "./two-ended-list.ts";
import { rowOf, type UploadRow } from "./upload-row.ts";

function folder(name: string, sizeBytes: number): FolderEntry {
  const totals = { uploadCount: 1, sizeBytes };
  return { path: `/${name}`, name, hasFolders: false, isMatch: false, totals };
}

const folders = [folder("a", 30), folder("B", 10), folder("É", 20)];

function namesFor(change: Partial<Address>): string {
  const shown = sortedFolders(folders, { ...defaultAddress, ...change });
  return shown.map(({ name }) => name).join(" ");
}

describe("the folders of a list", () => {
  it("are in the order of the list by name and size, else by name", () => {
    assert.equal(namesFor({}), "a B É");
    assert.equal(namesFor({ sortOrder: "desc" }), "É B a");
    assert.equal(namesFor({ sortBy: "size_bytes" }), "B É a");
    assert.equal(namesFor({ sortBy: "size_bytes", sortOrder: "desc" }), "a É B");
    assert.equal(namesFor({ sortBy: "created_at", sortOrder: "desc" }), "a B É");
  });
});

describe("the entries of a list", () => {
  const uploads = new TwoEndedList<UploadRow>();
  const request = { from: "start", page: 0, cursor: "", pageSize: 100 } as const;
  const upload = rowOf({ uploadId: "u1", filename: "x", path: "/", sizeBytes: 5 });
  uploads.accept(request, { rows: [upload], nextCursor: "" });
  const entries = new ListEntries(folders, uploads);

  it("are folders, then uploads", () => {
    assert.equal(entries.length, 4);
    assert.deepEqual(
      [entries.at(2), entries.at(3), entries.at(4)],
      [folders[2], upload, undefined],
    );
  });

  it("can be selected by keys that differ", () => {
    assert.deepEqual(entries.selectable(0), { key: "folder /a", isFolder: true, sizeBytes: 30 });
    assert.deepEqual(entries.selectable(3), { key: "upload u1", isFolder: false, sizeBytes: 5 });
    assert.equal(entries.selectable(4), undefined);
  });

  it("open their folder, or the panel", () => {
    const change = { folder: "/a", query: "type:image", upload: "" };
    assert.deepEqual(openingOfEntry(folder("a", 1), "sea type:image"), change);
    assert.deepEqual(openingOfEntry(upload, "sea"), { upload: "u1" });
  });

  it("know the uploads beside an upload, but no folder", () => {
    const list = new TwoEndedList<UploadRow>();
    const rows = ["u1", "u2", "u3"].map((id) => rowOf({ uploadId: id, filename: id, path: "/" }));
    list.accept(request, { rows, nextCursor: "" });
    const three = new ListEntries(folders, list);
    const idsBeside = (id: string) => {
      const { previous, next } = three.neighboursOf(id);
      return [previous?.id, next?.id];
    };
    assert.deepEqual(idsBeside("u1"), [undefined, "u2"]);
    assert.deepEqual(idsBeside("u2"), ["u1", "u3"]);
    assert.deepEqual(idsBeside("u3"), ["u2", undefined]);
    assert.deepEqual(idsBeside("of another list"), [undefined, undefined]);
    assert.equal(three.indexOfUpload("u2"), 4);
    assert.equal(three.indexOfUpload("of another list"), undefined);
  });

  it("of a short list keep their places when the folders come after the uploads", () => {
    for (const list of [entries, new ListEntries([], uploads)]) {
      assert.deepEqual(
        [0, list.length - 1, 25].map((index) => list.isFromEnd(index)),
        [false, false, false],
      );
    }
  });
});
