import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import {
  bucketLine,
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

/** Each test has a bucket of its own. */
const newBucketId = randomUUID;

function load(...lines: unknown[]) {
  return importLines(database.databaseUrl, lines);
}

function uploadsOf(bucketId: string, columns: string) {
  const text = `select ${columns} from uploads.uploads where ${isOfBucket} order by upload_id`;
  return select(database.databaseUrl, text, [bucketId]);
}

function foldersOf(bucketId: string, columns: string) {
  const selected = columns.replace(/\bpath\b/, folderPath);
  const text = `select ${selected} from uploads.folders where ${isOfBucket} order by tree_key`;
  return select(database.databaseUrl, text, [bucketId]);
}

const upload = (uploadId: string, members: object = {}) => ({
  upload: { uploadId, path: "/a", filename: `${uploadId}.txt`, sizeBytes: 1, ...members },
});

describe("names", () => {
  it("are stored unchanged, with forms that filters compare", async () => {
    const bucketId = newBucketId();
    const decomposed = "E\u0301ΣΑΣ";
    const members = { path: `/${decomposed}`, filename: decomposed, slug: "É" };
    await load(bucketLine(bucketId), upload("1", members));
    const columns = "filename, filename_nfc, filename_folded, slug, slug_nfc, slug_folded";
    assert.deepEqual(await uploadsOf(bucketId, columns), [
      {
        filename: decomposed,
        filename_nfc: "ÉΣΑΣ",
        filename_folded: "éσασ",
        slug: "É",
        slug_nfc: null,
        slug_folded: "é",
      },
    ]);
    const folders = await foldersOf(bucketId, "path, path_nfc, path_folded");
    const path = `/${decomposed}`;
    assert.deepEqual(folders[1], { path, path_nfc: "/ÉΣΑΣ", path_folded: "/éσασ" });
  });

  it("may contain characters that COPY and arrays interpret", async () => {
    const bucketId = newBucketId();
    const names = [
      "\\N",
      "\\.",
      "a\tb",
      "a\nb",
      "a\r\nb",
      'a"b',
      "{a,b}",
      "NULL",
      "a\\",
      "\u0001\u0002",
      "😀 ～",
    ];
    const lines = names.map((filename, index) =>
      upload(`${10 + index}`, { filename, path: `/${filename}`, tags: [filename, ""] }),
    );
    await load(bucketLine(bucketId), ...lines);
    const rows = await uploadsOf(bucketId, "filename, path, tags");
    assert.deepEqual(
      rows,
      names.map((filename) => ({ filename, path: `/${filename}`, tags: [filename, ""] })),
    );
  });

  // An index entry has at most 2,704 bytes. The key of a path doubles U+0001 and U+0002; PostgreSQL
  // compresses the key of a path that has many of them.
  const separators = "\u0001\u0002";
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const longest: [names: string, path: string, name: (seed: string) => string][] = [
    ["ASCII", noise(1023, characters(0x21)), (seed) => noise(1024, characters(0x30), seed)],
    ["4-byte characters", `${emoji(255, "path")}abc`, (seed) => emoji(256, seed)],
    ["separators", noise(1023, separators), (seed) => noise(1024, characters(0x30), seed)],
    [
      "separators and letters",
      noise(1023, separators + letters),
      (seed) => noise(1024, characters(0x30), seed),
    ],
    [
      "as many separators as letters",
      noise(511, characters(0x21)).replace(/./gs, "$&\u0001"),
      (seed) => noise(1024, characters(0x30), seed),
    ],
  ];
  for (const [what, inner, name] of longest) {
    it(`may all be as long as the limits allow: ${what}`, async () => {
      const bucketId = newBucketId();
      const path = `/${inner}`;
      const [uploadId, filename, slug] = [noise(128, characters(0x30)), name("name"), name("slug")];
      const { errors } = await load(
        bucketLine(bucketId),
        upload(uploadId, { path, filename, slug }),
      );
      assert.equal(errors, "");
      assert.deepEqual(await uploadsOf(bucketId, "path, filename, slug"), [
        { path, filename, slug },
      ]);
    });
  }

  it("of all lengths fit into the indexes", async () => {
    const bucketId = newBucketId();
    const lengths = [300, 400, 480, 490, 500, 600, 900, 980, 1000, 1024];
    const lines = lengths.flatMap((length) =>
      [0, 1, 10, 100, 200, 400, 500, 512, 1023].map((pathLength) => {
        const path = `/${noise(pathLength, characters(0x21))}`;
        const filename = noise(length, characters(0x30));
        return upload(`${length} ${pathLength} `.padEnd(128, "i"), { path, filename });
      }),
    );
    const { errors } = await load(bucketLine(bucketId), ...lines);
    assert.equal(errors, "");
    assert.equal((await uploadsOf(bucketId, "upload_id")).length, lines.length);
  });
});

/** All of ASCII from one on. */
function characters(from: number): string {
  const all = Array.from({ length: 0x7f - from }, (_, index) => String.fromCharCode(from + index));
  return all.join("").replace("/", "").replace(".", "");
}

/** Text that cannot be compressed; the same for the same seed. */
function noise(length: number, alphabet: string, seed = alphabet): string {
  const bytes = createHash("shake256", { outputLength: length }).update(seed).digest();
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("");
}

/** Characters of four bytes in random order. */
function emoji(length: number, seed: string): string {
  const bytes = createHash("shake256", { outputLength: length }).update(seed).digest();
  return Array.from(bytes, (byte) => String.fromCodePoint(0x1f300 + byte)).join("");
}
