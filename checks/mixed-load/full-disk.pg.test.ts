/** The disk of PostgreSQL is full: reads that need no space are answered, others unavailable. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { makeTemporaryFolder, until } from "@stowage/process/testing";
import { seed } from "../conformance/samples/random-bucket.ts";
import { bucketLine } from "../conformance/samples/tenants.ts";
import { makeData } from "./data.ts";
import { problemsIn } from "./episodes.ts";
import { areAllRight, type Load, makeCall, prepareLoad } from "./load.ts";
import { startWorld, type World } from "./world.ts";

const run = promisify(execFile);

/** Enough for a new cluster, the data and their write-ahead log, with some room. */
const diskSize = "200m";

/** A small file system of its own; undefined if none can be mounted here. */
async function mountDisk(parent: string): Promise<string | undefined> {
  const disk = join(parent, "disk");
  await mkdir(disk);
  const options = ["-t", "tmpfs", "-o", `size=${diskSize}`, "tmpfs", disk];
  return await run("mount", options).then(
    () => disk,
    () => undefined,
  );
}

const folder = await makeTemporaryFolder();
const disk = await mountDisk(folder.path);

after(async () => {
  if (disk !== undefined) await run("umount", ["--lazy", disk]);
  await folder.remove();
});

describe(`a full disk under PostgreSQL (seed ${seed})`, {
  skip: disk === undefined && "no small file system can be mounted",
}, () => {
  const data = makeData({ seed, hasLargeTree: true });
  let world: World;
  let load: Load;
  after(() => world?.close());

  it("answers or is unavailable, and recovers when there is space", async (test) => {
    assert(disk);
    world = await startWorld({
      kind: "external",
      lines: data.lines,
      folder: disk,
      // Sorts and hashes go to files.
      databaseOptions: `?options=${encodeURIComponent("-c work_mem=64kB")}`,
    });
    load = await prepareLoad(world, data, seed);
    await areAllRight(load);
    await makeCall(load, load.largeTree);
    assert.deepEqual(load.log.failed, []);

    const filling = join(disk, "filling");
    const { bavail, bsize } = await statfs(disk);
    await writeFile(filling, Buffer.alloc(bavail * bsize - 100_000));
    const startedMs = performance.now();
    await areAllRight(load);
    await makeCall(load, load.largeTree);
    const isImported = await world.load([bucketLine("foreign"), ...manyUploads]);
    await areAllRight(load);
    const endedMs = performance.now();
    await rm(filling);

    await until("all calls are right", () => areAllRight(load));
    test.diagnostic(load.log.describe().join("; "));
    test.diagnostic(`recovered after ${Math.round(load.log.recoveryMs(endedMs))} ms`);
    assert.equal(isImported, false);
    const mayAnswer = ["DATABASE_UNAVAILABLE", "DENYLIST_UNAVAILABLE"];
    const fault = { name: "a full disk", mayAnswer, run: async () => undefined };
    assert.deepEqual(problemsIn(load.log, [{ fault, startedMs, endedMs }]), []);
    assert.equal(await world.load(data.importOf.other), true);
  });
});

const manyUploads = Array.from({ length: 20_000 }, (_, index) => ({
  upload: {
    path: `/new/${index % 50}`,
    filename: `new ${index}.txt`,
    sizeBytes: 1,
    generatedDescription: "A description of some length. ".repeat(12),
  },
}));
