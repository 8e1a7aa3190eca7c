import assert from "node:assert/strict";
import { dirname } from "node:path/posix";
import { describe, it } from "node:test";
import { digestOf } from "./data-set.ts";
import { generatedDataSet } from "./generated-data-set.ts";
import { largeFolderPath } from "./generated-folders.ts";

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
