/** Downloads of files and links to them, by the commands, from what `npm start` mirrors. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { StartedProcess } from "@stowage/process/testing";
import { type Place, preparePlace, startAll, stowage, untilReady } from "./testing/npm-start.ts";

const content = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join("");

describe("the content of files", () => {
  let place: Place;
  let started: StartedProcess;
  let saved: string;
  before(async () => {
    place = await preparePlace();
    saved = join(place.folder, "saved");
    await mkdir(join(place.directory, "a b"));
    await writeFile(join(place.directory, "a b", "naïve*.txt"), content);
    started = startAll(place.directory, place.environment);
    await untilReady(started);
  });
  after(async () => {
    started.kill("SIGTERM");
    await started.ended;
    await place.remove();
  });

  const run = (...words: string[]) => stowage(words, place.environment);
  const path = "/a b/naïve*.txt";

  it("is saved, but not over another file unless --force is given", async () => {
    const first = await run("get", path, "--output", saved);
    assert.deepEqual([first.exitCode, first.stdout], [0, ""], first.stderr);
    assert.match(first.stderr, /^saved .*\/saved \(\d+ KiB\)\n$/);
    assert.ok((await readFile(saved, "utf8")) === content);
    await writeFile(saved, "mine");
    const second = await run("get", path, "--output", saved);
    assert.equal(second.exitCode, 1);
    assert.match(second.stderr, /exists; use --force/);
    assert.equal(await readFile(saved, "utf8"), "mine");
    assert.equal((await run("get", path, "--output", saved, "--force")).exitCode, 0);
    assert.ok((await readFile(saved, "utf8")) === content);
  });

  /** The file in which a download into `file` is continued. */
  async function partOf(file: string): Promise<string> {
    const { stdout } = await run("ls", "/a b", "--json");
    const { uploadId, sizeBytes, updatedAt } = JSON.parse(stdout);
    const seconds = Math.floor(Date.parse(updatedAt) / 1000);
    const nanos = Number(/\.(\d+)Z$/.exec(updatedAt)?.[1]?.padEnd(9, "0") ?? 0);
    const version = createHash("sha256")
      .update([uploadId, sizeBytes, seconds, nanos].join(" "))
      .digest("hex");
    return `${file}.${version.slice(0, 8)}.part`;
  }

  it("goes on where a download was interrupted", async () => {
    const file = join(place.folder, "resumed");
    // Other bytes than those of the file show that they were not read again.
    await writeFile(await partOf(file), "X".repeat(1000));
    assert.equal((await run("get", path, "--output", file)).exitCode, 0);
    const expected = "X".repeat(1000) + content.slice(1000);
    assert.ok((await readFile(file, "utf8")) === expected);
    assert.deepEqual(
      (await readdir(place.folder)).filter((name) => name.endsWith(".part")),
      [],
    );
  });

  it("is right if two commands download it into one file", async () => {
    const file = join(place.folder, "twice");
    await writeFile(await partOf(file), content.slice(0, 1000));
    await Promise.allSettled([run("get", path, "--output", file), run("get", path, "-o", file)]);
    assert.ok((await readFile(file, "utf8")) === content);
  });

  it("is read anew if what is there is larger", async () => {
    const file = join(place.folder, "larger");
    await writeFile(await partOf(file), `${content}X`);
    assert.equal((await run("get", path, "--output", file)).exitCode, 0);
    assert.ok((await readFile(file, "utf8")) === content);
  });

  it("is written to the standard output, as it is", async () => {
    const { exitCode, stdout } = await run("get", path, "--output", "-");
    assert.equal(exitCode, 0);
    assert.ok(stdout === content);
  });

  it("is read by anybody who has a link", async () => {
    const { stdout } = await run("link", path, "--expires", "2h");
    const response = await fetch(stdout.trim());
    assert.ok((await response.text()) === content);
  });

  it("is needed by get, which says so for an upload of an import", async () => {
    const { organisation } = JSON.parse((await run("whoami", "--json")).stdout);
    const file = join(place.folder, "without-content.ndjson");
    await writeFile(file, JSON.stringify({ upload: { path: "/", filename: "a", sizeBytes: 1 } }));
    await run("buckets", "add", "without-content.localhost", "--organisation", organisation);
    await run("import", "ndjson", file, "--bucket", "without-content.localhost");
    const { exitCode, stderr } = await run("get", "/a", "--bucket", "without-content.localhost");
    assert.equal(exitCode, 1);
    assert.match(stderr, /^stowage: Cannot read \/a: .* \(CONTENT_NOT_HELD\)$/m);
  });

  for (const [what, words, message] of [
    ["that is not there", ["get", "/none"], /Cannot find \/none: no such file/],
    [
      "where there is no folder",
      ["get", path, "--output", "/none/x"],
      /^stowage: Cannot save .*: there is no folder \/none$/m,
    ],
    ["that is a folder", ["get", "/a b/"], /need the path of a file/],
    ["for a wrong time", ["link", path, "--expires", "8d"], /Need 1s to 7d/],
  ] as const) {
    it(`of a file ${what} is refused in one line`, async () => {
      const { exitCode, stderr } = await run(...words);
      assert.notEqual(exitCode, 0);
      assert.match(stderr, message);
    });
  }
});
