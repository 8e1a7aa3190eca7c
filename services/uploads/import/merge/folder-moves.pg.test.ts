import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import { deterministicFolderId } from "../../model/deterministic-ids.ts";
import {
  bucketLine,
  colour,
  createUploadsDatabase,
  folderPath,
  importLines,
  isOfBucket,
  select,
} from "../testing/import.ts";

let database: TestDatabase;
before(async () => {
  database = await createUploadsDatabase();
});
after(() => database.drop());

let count = 0;
function newId(): string {
  count += 1;
  return `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
}

async function load(bucketId: string, ...lines: unknown[]) {
  const { result } = await importLines(database.databaseUrl, [bucketLine(bucketId), ...lines]);
  return result?.folders;
}

async function foldersOf(bucketId: string): Promise<Record<string, [id: string, colour: string]>> {
  const rows = await select<{ path: string; folder_id: string; colour: string }>(
    database.databaseUrl,
    `select ${folderPath}, folder_id, ${colour} from uploads.folders
     where ${isOfBucket} order by tree_key`,
    [bucketId],
  );
  return Object.fromEntries(rows.map((row) => [row.path, [row.folder_id, row.colour]]));
}

const folder = (path: string, folderId?: string, colour = "red") => ({
  folder: { path, colour, ...(folderId && { folderId }) },
});
const upload = (path: string, filename = "u") => ({ upload: { path, filename, sizeBytes: 1 } });
const madeAt = (bucketId: string, path: string) => [deterministicFolderId(bucketId, path), ""];

describe("folders that uploads and folders imply", () => {
  it("are made with default values, up to the root", async () => {
    const bucketId = newId();
    const id = newId();
    const counts = await load(bucketId, upload("/a/b/c"), folder("/x/y", id));
    assert.deepEqual(counts, { new: 6, changed: 0, unchanged: 0 });
    assert.deepEqual(await foldersOf(bucketId), {
      "/": madeAt(bucketId, "/"),
      "/a": madeAt(bucketId, "/a"),
      "/a/b": madeAt(bucketId, "/a/b"),
      "/a/b/c": madeAt(bucketId, "/a/b/c"),
      "/x": madeAt(bucketId, "/x"),
      "/x/y": [id, "red"],
    });
  });

  it("are only the root for a bucket line alone", async () => {
    const bucketId = newId();
    await load(bucketId);
    assert.deepEqual(await foldersOf(bucketId), { "/": madeAt(bucketId, "/") });
  });

  it("never overwrite an existing folder", async () => {
    const bucketId = newId();
    const id = newId();
    await load(bucketId, folder("/a", id), folder("/", undefined, "blue"));
    const counts = await load(bucketId, upload("/a/b"));
    assert.deepEqual(counts, { new: 1, changed: 0, unchanged: 2 });
    const folders = await foldersOf(bucketId);
    assert.deepEqual(folders["/a"], [id, "red"]);
    assert.deepEqual(folders["/"], [deterministicFolderId(bucketId, "/"), "blue"]);
  });
});

describe("a folder line", () => {
  it("gives its ID to the existing folder at its path", async () => {
    const bucketId = newId();
    const id = newId();
    await load(bucketId, upload("/a/b"));
    const counts = await load(bucketId, folder("/a", id));
    assert.deepEqual(counts, { new: 0, changed: 1, unchanged: 1 });
    assert.deepEqual((await foldersOf(bucketId))["/a"], [id, "red"]);
  });

  it("may give the root an ID", async () => {
    const bucketId = newId();
    const id = newId();
    await load(bucketId, folder("/", id), upload("/"));
    assert.deepEqual(await foldersOf(bucketId), { "/": [id, "red"] });
  });

  it("replaces an earlier line with its path", async () => {
    const bucketId = newId();
    const [first, second] = [newId(), newId()];
    const counts = await load(bucketId, folder("/a", first), folder("/a", second, "blue"));
    assert.deepEqual(counts, { new: 2, changed: 0, unchanged: 0 });
    assert.deepEqual((await foldersOf(bucketId))["/a"], [second, "blue"]);
  });
});

describe("a folder that moves", () => {
  it("leaves no folder at its old path if nothing else is there", async () => {
    const bucketId = newId();
    const id = newId();
    await load(bucketId, folder("/a", id));
    const counts = await load(bucketId, folder("/b", id, "blue"));
    assert.deepEqual(counts, { new: 0, changed: 1, unchanged: 1 });
    assert.deepEqual(await foldersOf(bucketId), {
      "/": madeAt(bucketId, "/"),
      "/b": [id, "blue"],
    });
  });

  for (const [what, content] of [
    ["an upload", upload("/a")],
    ["an upload deep inside", upload("/a/b/c")],
    ["a folder", folder("/a/b")],
  ] as const) {
    it(`leaves a folder of default values behind that holds ${what}`, async () => {
      const bucketId = newId();
      const id = newId();
      await load(bucketId, folder("/a", id), content);
      await load(bucketId, folder("/z", id));
      const folders = await foldersOf(bucketId);
      assert.deepEqual(folders["/z"], [id, "red"]);
      assert.equal(folders["/a"]?.[1], "");
      assert.notEqual(folders["/a"]?.[0], id);
    });
  }

  it("leaves no folder at its old path if its content moves in the same file", async () => {
    const bucketId = newId();
    const id = newId();
    const content = { uploadId: "u", filename: "u", sizeBytes: 1 };
    await load(bucketId, folder("/a", id), { upload: { ...content, path: "/a" } });
    await load(bucketId, { upload: { ...content, path: "/b" } }, folder("/b", id));
    assert.deepEqual(Object.keys(await foldersOf(bucketId)), ["/", "/b"]);
  });

  it("keeps its deterministic ID; a folder at its old path gets a random one", async () => {
    const bucketId = newId();
    const id = deterministicFolderId(bucketId, "/a");
    await load(bucketId, upload("/a"));
    await load(bucketId, folder("/b", id));
    const folders = await foldersOf(bucketId);
    assert.deepEqual(folders["/b"], [id, "red"]);
    assert.notEqual(folders["/a"]?.[0], id);
    await load(bucketId, upload("/a", "another"), upload("/c"));
    assert.deepEqual((await foldersOf(bucketId))["/a"], folders["/a"]);
  });

  it("may swap places with another", async () => {
    const bucketId = newId();
    const [first, second] = [newId(), newId()];
    await load(bucketId, folder("/a", first), folder("/b", second), upload("/a"), upload("/b"));
    const counts = await load(bucketId, folder("/b", first), folder("/a", second));
    assert.deepEqual(counts, { new: 0, changed: 2, unchanged: 1 });
    const { "/a": a, "/b": b } = await foldersOf(bucketId);
    assert.deepEqual(
      [a, b],
      [
        [second, "red"],
        [first, "red"],
      ],
    );
  });

  it("replaces the folder at its new path", async () => {
    const bucketId = newId();
    const [first, second] = [newId(), newId()];
    await load(bucketId, folder("/a", first), folder("/b", second));
    await load(bucketId, folder("/b", first, "blue"));
    assert.deepEqual(await foldersOf(bucketId), {
      "/": madeAt(bucketId, "/"),
      "/b": [first, "blue"],
    });
  });

  it("may be the root: the bucket then gets another root", async () => {
    const bucketId = newId();
    const id = newId();
    await load(bucketId, folder("/", id));
    await load(bucketId, folder("/a", id));
    const folders = await foldersOf(bucketId);
    assert.deepEqual(folders["/a"], [id, "red"]);
    assert.equal(folders["/"]?.[1], "");
  });
});
