import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path/posix";
import { describe, it } from "node:test";
import { digestOf } from "./data-set.ts";
import { generatedDataSet, largeFolderPath } from "./generated-data-set.ts";
import { listedDataSet } from "./listed-data-set.ts";
import { Random, sharesOf } from "./random.ts";

interface Upload {
  uploadId: string;
  path: string;
  filename: string;
  sizeBytes: number;
  createdAt: string;
}

function contentsOf(uploads: number, seed?: number) {
  const lines = [...(generatedDataSet(uploads, seed).lines() as Iterable<string>)];
  const records = lines.map((line) => JSON.parse(line));
  return {
    uploads: records.flatMap(({ upload }): Upload[] => upload ?? []),
    folders: records.flatMap(({ folder }): { path: string }[] => folder ?? []),
  };
}

describe("the generated data set", () => {
  const rows = 100_000;
  const { uploads, folders } = contentsOf(rows);

  it("is the same for the same seed, and another for another", async () => {
    const digest = await digestOf(generatedDataSet(rows));
    assert.equal(await digestOf(generatedDataSet(rows)), digest);
    assert.notEqual(await digestOf(generatedDataSet(rows, 2)), digest);
    assert.notEqual(await digestOf(generatedDataSet(rows + 1)), digest);
  });

  it("has exactly the uploads asked for, and 0.27 folders for each", () => {
    assert.equal(uploads.length, rows);
    assert.equal(folders.length, 27_000);
    for (const few of [1, 10, 999]) assert.equal(contentsOf(few).uploads.length, few);
  });

  it("has each ID, each folder and each name in a folder once", () => {
    assert.equal(new Set(uploads.map(({ uploadId }) => uploadId)).size, rows);
    assert.equal(new Set(folders.map(({ path }) => path)).size, folders.length);
    const places = uploads.map(({ path, filename }) => `${path}/${filename}`);
    assert.equal(new Set(places).size, rows);
  });

  it("gives a folder before what is in it", () => {
    const seen = new Set(["/"]);
    for (const { path } of folders) {
      assert.ok(seen.has(dirname(path)), path);
      seen.add(path);
    }
    for (const { path } of uploads) assert.ok(seen.has(path), path);
  });

  it("has a folder of 200 pages, others of all sizes, and empty ones", () => {
    const sizes = new Map<string, number>();
    for (const { path } of uploads) sizes.set(path, (sizes.get(path) ?? 0) + 1);
    assert.equal(sizes.get(largeFolderPath), 10_500);
    const sorted = [...sizes.values()].toSorted((one, other) => other - one);
    assert.ok(sorted[1]! > 300, `${sorted[1]}`);
    assert.ok(sorted.includes(1));
    assert.ok(sizes.size < 0.9 * folders.length && sizes.size > 0.4 * folders.length);
  });

  it("has uploads of one time, and of all sizes", () => {
    const times = new Set(uploads.map(({ createdAt }) => createdAt));
    assert.ok(times.size < 0.7 * rows, `${times.size} times`);
    assert.ok(uploads.every(({ createdAt }) => createdAt < "2026-11-02" && createdAt > "2015"));
    const sizes = uploads.map(({ sizeBytes }) => sizeBytes).toSorted((one, other) => one - other);
    assert.ok(sizes[50_000]! < sizes[99_000]! / 50, `${sizes[50_000]} ${sizes[99_000]}`);
  });

  it("nests folders, but not without end", () => {
    const depths = folders.map(({ path }) => path.split("/").length);
    assert.ok(Math.max(...depths) >= 6);
    assert.ok(Math.max(...depths) <= 14);
  });
});

it("shares add up, are in proportion to their weights, and are never negative", () => {
  assert.deepEqual(sharesOf(10, [1, 3, 1]), [2, 6, 2]);
  const random = new Random(1);
  for (let round = 0; round < 1000; round++) {
    const total = random.below(50);
    const weights = Array.from({ length: 1 + random.below(20) }, () => random.factor(2));
    const shares = sharesOf(total, weights);
    const sum = shares.reduce((sumSoFar, share) => sumSoFar + share, 0);
    assert.equal(sum, total);
    assert.ok(shares.every((share) => share >= 0 && Number.isInteger(share)));
  }
});

it("a data set of a list of paths has an upload for every path, up to a number", async () => {
  const folder = await mkdtemp(join(tmpdir(), "stowage-paths-"));
  try {
    const file = join(folder, "paths");
    await writeFile(file, "/usr/bin/env\n/usr/bin/größe x\nopt/relative\n\n/etc//./passwd");
    const found: string[] = [];
    for await (const line of (await listedDataSet(file, 3)).lines()) {
      const { upload } = JSON.parse(line);
      found.push(`${upload.path} ${upload.filename}`);
    }
    assert.deepEqual(found, ["/usr/bin env", "/usr/bin größe x", "/opt relative"]);
    await assert.rejects(listedDataSet(join(folder, "none"), 1), /Cannot read .*none/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
