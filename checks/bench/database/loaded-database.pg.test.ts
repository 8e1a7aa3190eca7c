import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { makeTemporaryFolder, type TemporaryFolder } from "@stowage/process/testing";
import pg from "pg";
import { root } from "../../testing/programs.ts";
import type { DataSet } from "../data-set/data-set.ts";
import { generatedDataSet } from "../data-set/generated-data-set.ts";
import { openLoaded } from "./loaded-database.ts";

describe("a loaded database", () => {
  const { signal } = new AbortController();
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  async function open(dataSet: DataSet, fresh = false) {
    const options = {
      checkout: root,
      folder: { path: folder.path, isDefault: false },
      fresh,
      signal,
    };
    await using database = await openLoaded(dataSet, options);
    const client = new pg.Client(database.databaseUrl);
    await client.connect();
    const { rows } = await client.query("select count(*)::integer as count from uploads.uploads");
    const marked = await client.query("select to_regclass('uploads.mark') as mark");
    await client.query("create table if not exists uploads.mark ()");
    const { rows: indexes } = await client.query(
      "select from pg_indexes where schemaname = 'uploads' and indexname = 'folders_by_level'",
    );
    assert.equal(indexes.length, 1);
    const { rows: settings } = await client.query("show shared_buffers");
    assert.notEqual(settings[0].shared_buffers, "128MB");
    await client.end();
    return { places: database.places, count: rows[0].count, isKept: marked.rows[0].mark !== null };
  }

  it("holds its data set, stays, and is loaded anew when asked for or out of date", async () => {
    const dataSet = generatedDataSet(1000);
    const { places, count, isKept } = await open(dataSet);
    assert.equal(isKept, false);
    assert.equal(count, 1000);
    assert.equal(places.uploads, 1000);
    assert.equal(places.folders, 270);
    assert.deepEqual(places.folder, { path: "/Scans/Incoming", uploads: 250 });
    assert.ok(places.subtree.uploads > 20 && places.subtree.uploads < 250);

    assert.deepEqual(await open(dataSet), { places, count, isKept: true });
    assert.deepEqual(await open(dataSet, true), { places, count, isKept: false });
    const [kept = ""] = await readdir(folder.path);
    const noteFile = join(folder.path, kept, "loaded.json");
    const note = JSON.parse(await readFile(noteFile, "utf8"));
    await writeFile(noteFile, JSON.stringify({ ...note, schema: "of other code" }));
    assert.deepEqual(await open(dataSet), { places, count, isKept: false });
  });

  it("that could not be loaded is no database", async () => {
    const broken: DataSet = {
      name: "broken",
      description: "a data set with a wrong line",
      lines: () => ['{"upload": {"path": "/"}}'],
    };
    for (const _ of [1, 2]) await assert.rejects(open(broken), /Cannot load the data: .*filename/s);
    const failing = {
      ...broken,
      *lines() {
        yield '{"folder": {"path": "/a"}}';
        throw new Error("the list has an end");
      },
    };
    await assert.rejects(open(failing), /the list has an end/);
  });
});
