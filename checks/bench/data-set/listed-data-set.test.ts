import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { listedDataSet } from "./listed-data-set.ts";

describe("the data set of a list of paths", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "stowage-paths-"));
  });
  after(() => rm(folder, { recursive: true }));

  const paths = ["/usr/bin/env", "/usr/bin/größe x", "opt/relative", "", "/etc//./passwd"];
  const places = ["/usr/bin env", "/usr/bin größe x", "/opt relative", "/etc passwd"];

  async function write(name: string, content: string | Buffer): Promise<string> {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  }

  async function placesOf(file: string, uploadsMax = 100): Promise<string[]> {
    const found: string[] = [];
    for await (const line of (await listedDataSet(file, uploadsMax)).lines()) {
      const { upload } = JSON.parse(line);
      found.push(`${upload.path} ${upload.filename}`);
    }
    return found;
  }

  it("has an upload for every path", async () => {
    assert.deepEqual(await placesOf(await write("plain", paths.join("\n"))), places);
    assert.deepEqual(await placesOf(await write("ended.txt", `${paths.join("\n")}\n`)), places);
  });

  it("has no more than asked for", async () => {
    const file = await write("long", "/a/b\n".repeat(100_000));
    assert.equal((await placesOf(file, 3)).length, 3);
  });

  it("unpacks gzip", async () => {
    const file = await write("paths.gz", gzipSync(paths.join("\n")));
    assert.deepEqual(await placesOf(file), places);
  });

  it("unpacks xz, or says what it needs", async () => {
    const text = paths.join("\n");
    let packed: Buffer;
    try {
      packed = execFileSync("xz", ["--stdout"], { input: text });
    } catch {
      await assert.rejects(placesOf(await write("paths.xz", "")), /need the program xz/);
      return;
    }
    const file = await write("paths.xz", packed);
    assert.deepEqual(await placesOf(file), places);
    assert.deepEqual(await placesOf(file, 1), places.slice(0, 1));
  });

  it("says which file cannot be read", async () => {
    await assert.rejects(listedDataSet(join(folder, "none"), 1), /Cannot read .*none/);
    for (const name of ["broken.gz", "broken.xz"]) {
      await assert.rejects(placesOf(await write(name, "not packed")), name);
    }
  });
});
