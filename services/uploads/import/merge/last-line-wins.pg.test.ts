/**
 * Random files against a small model: lines one after the other, into maps. Folders that nobody
 * described are whatever uploads and folders need at the end.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { it } from "node:test";
import fc from "fast-check";
import { deterministicFolderId, deterministicUploadId } from "../../model/deterministic-ids.ts";
import { ancestorPaths } from "../../model/path.ts";
import { bucketLine, createUploadsDatabase, importLines, select } from "../testing/import.ts";

/** The two buckets of a run. */
type BucketIds = readonly [string, string];

const folderIds = ["1", "2", "3"].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);

type Line =
  | { kind: "bucket"; index: 0 | 1 }
  | { kind: "folder"; id: string | undefined; path: string; colour: string }
  | { kind: "upload"; id: string | undefined; path: string; filename: string; sizeBytes: number };

const paths = fc.constantFrom("/", "/a", "/a/b", "/a/b/c", "/a b", "/d", "/d/e", "/d/e/f/g");
const line: fc.Arbitrary<Line> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("bucket" as const),
      index: fc.constantFrom(0 as const, 1 as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("folder" as const),
      id: fc.constantFrom(undefined, ...folderIds),
      path: paths,
      colour: fc.constantFrom("red", "blue"),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("upload" as const),
      id: fc.constantFrom(undefined, "1", "2", "3", "4"),
      path: paths,
      filename: fc.constantFrom("x", "y"),
      sizeBytes: fc.nat({ max: 2 }),
    }),
  },
);
const files = fc.array(fc.array(line, { maxLength: 12 }), { minLength: 1, maxLength: 3 });

class BucketModel {
  /** Path by ID, colour by path. A folder that nobody described has no ID here. */
  readonly folders = new Map<string, { id: string | undefined; colour: string }>();
  readonly uploads = new Map<string, { path: string; filename: string; sizeBytes: number }>();

  putFolder(id: string, path: string, colour: string): void {
    for (const [at, folder] of this.folders) if (folder.id === id) this.folders.delete(at);
    this.folders.set(path, { id, colour });
  }

  /** Adds the folders that the file implies but does not contain. */
  addImplied(): void {
    const holding = [
      "/",
      ...[...this.uploads.values()].flatMap(({ path }) => [path, ...ancestorPaths(path)]),
      ...[...this.folders.keys()].flatMap(ancestorPaths),
    ];
    for (const path of holding) {
      if (!this.folders.has(path)) this.folders.set(path, { id: undefined, colour: "" });
    }
  }
}

/** Applies a file to the model, and returns its lines in the form that the importer reads. */
function play(
  model: Map<string, BucketModel>,
  file: readonly Line[],
  bucketIds: BucketIds,
): unknown[] {
  let [bucketId] = bucketIds;
  const touched = new Set<BucketModel>();
  const given = [{ kind: "bucket", index: 0 } as const, ...file].map((next) => {
    if (next.kind === "bucket") bucketId = bucketIds[next.index];
    const bucket = model.get(bucketId) ?? new BucketModel();
    model.set(bucketId, bucket);
    touched.add(bucket);
    if (next.kind === "bucket") return bucketLine(bucketId);
    const { kind, id, ...members } = next;
    if (next.kind === "folder") {
      // An ID made for a path is any other ID, once it is given to a folder.
      bucket.putFolder(
        next.id ?? deterministicFolderId(bucketId, next.path),
        next.path,
        next.colour,
      );
      return { folder: { ...members, ...(id && { folderId: id }) } };
    }
    const { path, filename, sizeBytes } = next;
    bucket.uploads.set(next.id ?? deterministicUploadId(bucketId, path, filename), {
      path,
      filename,
      sizeBytes,
    });
    return { [kind]: { ...members, ...(id && { uploadId: id }) } };
  });
  for (const bucket of touched) bucket.addImplied();
  return given;
}

it("the tables equal those of a model that applies one line after the other", async () => {
  const database = await createUploadsDatabase();
  try {
    await fc.assert(
      fc.asyncProperty(files, async (given) => {
        const bucketIds: BucketIds = [randomUUID(), randomUUID()];
        const model = new Map<string, BucketModel>();
        for (const file of given) {
          const lines = play(model, file, bucketIds);
          const { errors } = await importLines(database.databaseUrl, lines);
          assert.equal(errors, "");
          await assertLikeModel(database.databaseUrl, model);
        }
      }),
      { numRuns: 50 },
    );
  } finally {
    await database.drop();
  }
});

async function assertLikeModel(databaseUrl: string, model: Map<string, BucketModel>) {
  for (const [bucketId, bucket] of model) {
    const uploads = await select<{ upload_id: string }>(
      databaseUrl,
      `select upload_id, path, filename, size_bytes::int as "sizeBytes" from uploads.uploads
       where bucket_id = $1`,
      [bucketId],
    );
    assert.deepEqual(
      new Map(uploads.map(({ upload_id, ...upload }) => [upload_id, upload])),
      bucket.uploads,
    );
    const folders = await select<{ path: string; id: string; colour: string }>(
      databaseUrl,
      "select path, folder_id as id, colour from uploads.folders where bucket_id = $1",
      [bucketId],
    );
    for (const folder of folders) {
      const expected = bucket.folders.get(folder.path);
      // The ID that the import made: from now on, as good as any.
      if (expected?.id === undefined && expected !== undefined) expected.id = folder.id;
    }
    assert.deepEqual(new Map(folders.map(({ path, ...folder }) => [path, folder])), bucket.folders);
  }
}
