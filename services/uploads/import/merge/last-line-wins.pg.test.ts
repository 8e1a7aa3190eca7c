/**
 * Random files against a small model: lines one after the other, into maps. Folders that nobody
 * described are whatever uploads and folders need at the end.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { it } from "node:test";
import { randomCases } from "@stowage/process/testing";
import fc from "fast-check";
import { findWrong, wrongText } from "../../check/find-wrong.ts";
import {
  bucketLine,
  colour,
  createUploadsDatabase,
  folderPath,
  importLines,
  isOfBucket,
  select,
  withConnection,
} from "../testing/import.ts";
import { runOn } from "./statements.ts";
import { BucketModel } from "./testing/bucket-model.ts";

/** The two buckets of a run. */
type BucketIds = readonly [string, string];

const folderIds = ["1", "2", "3"].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);

type Line =
  | { kind: "bucket"; index: 0 | 1 }
  | { kind: "folder"; id: string | undefined; path: string; colour: string }
  | { kind: "upload"; id: string | undefined; path: string; filename: string; sizeBytes: number }
  | { kind: "delete"; thing: { uploadId: string } | { path: string } };

const names = ["x", "y"];
const paths = ["/", "/a", "/a/b", "/a/b/c", "/a b", "/d", "/d/e", "/d/e/f/g"];
const uploadIds = ["1", "2", "3", "4"];

function ofKind<Kind extends Line["kind"], Members>(
  kind: Kind,
  weight: number,
  members: { [Name in keyof Members]: fc.Arbitrary<Members[Name]> },
) {
  return { weight, arbitrary: fc.record({ kind: fc.constant(kind), ...members }) };
}

const line = fc.oneof(
  ofKind("bucket", 1, { index: fc.constantFrom<0 | 1>(0, 1) }),
  ofKind("folder", 4, {
    id: fc.constantFrom(undefined, ...folderIds),
    path: fc.constantFrom(...paths),
    colour: fc.constantFrom("red", "blue", ""),
  }),
  ofKind("upload", 6, {
    id: fc.constantFrom(undefined, ...uploadIds),
    path: fc.constantFrom(...paths),
    filename: fc.constantFrom(...names),
    sizeBytes: fc.nat({ max: 2 }),
  }),
  ofKind("delete", 3, {
    thing: fc.oneof(
      fc.record({ uploadId: fc.constantFrom(...uploadIds) }),
      fc.record({ path: fc.constantFrom(...paths, "/x", "/a/x", "/a/b/c/y", "/nothing") }),
    ),
  }),
) as fc.Arbitrary<Line>;

const file = fc.record({
  lines: fc.array(line, { maxLength: 12 }),
  replaces: fc.boolean(),
});
const files = fc.array(file, { minLength: 1, maxLength: 4 });

/** Applies a file to the model, and returns its lines in the form that the importer reads. */
function play(
  model: Map<string, BucketModel>,
  { lines, replaces }: { lines: readonly Line[]; replaces: boolean },
  bucketIds: BucketIds,
): unknown[] {
  let [bucketId] = bucketIds;
  const touched = new Set<BucketModel>();
  const given = [{ kind: "bucket", index: 0 } as const, ...lines].map((next) => {
    if (next.kind === "bucket") bucketId = bucketIds[next.index];
    const bucket = model.get(bucketId) ?? new BucketModel(bucketId);
    model.set(bucketId, bucket);
    if (!touched.has(bucket)) bucket.beginFile();
    touched.add(bucket);
    if (next.kind === "bucket") return bucketLine(bucketId);
    if (next.kind === "delete") {
      bucket.delete(next.thing);
      return { delete: next.thing };
    }
    const { kind, id, ...members } = next;
    if (next.kind === "folder") {
      bucket.putFolder(id, next.path, next.colour);
      return { folder: { ...members, ...(id && { folderId: id }) } };
    }
    bucket.putUpload(id, next);
    return { [kind]: { ...members, ...(id && { uploadId: id }) } };
  });
  for (const bucket of touched) bucket.endFile(replaces);
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
          const merge = file.replaces ? { deletesUnstaged: { isConfirmed: true } } : {};
          const { errors } = await importLines(database.databaseUrl, lines, { merge });
          assert.equal(errors, "");
          await assertLikeModel(database.databaseUrl, model);
          await assertDerived(database.databaseUrl);
        }
      }),
      { numRuns: randomCases(40), endOnFailure: true },
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
       where ${isOfBucket}`,
      [bucketId],
    );
    assert.deepEqual(
      new Map(uploads.map(({ upload_id, ...upload }) => [upload_id, upload])),
      bucket.uploads,
    );
    const folders = await select<{ path: string; id: string; colour: string }>(
      databaseUrl,
      `select ${folderPath}, folder_id as id, ${colour} from uploads.folders where ${isOfBucket}`,
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

/** Checks what merges keep beside the rows. */
async function assertDerived(databaseUrl: string): Promise<void> {
  const errors: string[] = [];
  const wrong = await withConnection(databaseUrl, (client) =>
    findWrong(runOn(client), (line) => errors.push(line)),
  );
  assert.equal(wrongText(wrong), "", errors.join("\n"));
}
