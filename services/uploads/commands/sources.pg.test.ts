import assert from "node:assert/strict";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import {
  makeTemporaryFolder,
  startNode,
  type TemporaryFolder,
  type TestDatabase,
} from "@stowage/process/testing";
import { createUploadsDatabase, select } from "../import/testing/import.ts";

const program = fileURLToPath(new URL("./sources.ts", import.meta.url));

let database: TestDatabase;
let folder: TemporaryFolder;
before(async () => {
  database = await createUploadsDatabase();
  folder = await makeTemporaryFolder();
  await mkdir(join(folder.path, "a", "empty"), { recursive: true });
  for (const name of ["1.jpg", "2.jpg", "3.jpg"]) await writeFile(join(folder.path, "a", name), "");
});
after(async () => {
  await database.drop();
  await folder.remove();
});

async function sources(...parameters: string[]) {
  const { databaseUrl } = database;
  const dataDir = join(folder.path, "data");
  return await startNode([program, ...parameters], {
    env: { DATABASE_URL: databaseUrl, DATA_DIR: dataDir },
  }).ended;
}

const place = ["--bucket", "files.localhost", "--organisation", "acme"];

describe("the commands of sources", () => {
  it("say how to begin when there is none", async () => {
    const none = await sources("list");
    assert.match(none.stderr, /^no sources; add one with: stowage sources add/);
    assert.deepEqual([none.stdout, (await sources("list", "--json")).stdout], ["", "[]\n"]);
    const { stderr, exitCode } = await sources("sync", "files");
    assert.equal(exitCode, 1);
    assert.match(stderr, /Cannot find the source files: there is none; add one with/);
  });

  it("add a source, and run it at once if told", async () => {
    const options = ["--name", "files", "--mount", "/mirror", "--every", "15m", "--sync"];
    const { stdout, stderr } = await sources("add", "dir", folder.path, ...place, ...options);
    assert.match(
      stdout,
      /^added files\nsynchronised files in .* s: 3 objects, 0 B: 3 new, 0 changed, 0 gone, 0 unch/,
      stderr,
    );
  });

  it("leave out the data folder, which has keys, and refuse it as a source", async () => {
    const dataDir = join(folder.path, "data");
    await mkdir(dataDir);
    await writeFile(join(dataDir, "key-encryption-key"), "");
    const { stdout } = await sources("sync", "files");
    assert.match(stdout, /3 unchanged, 0 left out; 1 file or directory excluded\n$/);
    const { stderr } = await sources("add", "dir", dataDir, ...place, "--name", "keys");
    assert.match(stderr, /^stowage: Cannot list \/.*data: it has keys or passwords of Stowage/);
    await rm(dataDir, { recursive: true });
  });

  it("say how many symbolic links a run did not follow", async () => {
    await symlink("a", join(folder.path, "link"));
    const { stdout } = await sources("sync", "files");
    assert.match(stdout, /3 unchanged, 0 left out; 1 symbolic link not followed\n$/);
    await rm(join(folder.path, "link"));
  });

  it("list it with its last complete and its next run", async () => {
    const { stdout } = await sources("list");
    assert.match(
      stdout,
      /^files +idle +complete +2\S+T\S+:\d\dZ +files\.localhost\/mirror +\S+ +in \d+ min$/m,
    );
    const [{ state, path, failures }] = JSON.parse((await sources("list", "--json")).stdout);
    assert.deepEqual({ state, path, failures }, { state: "idle", path: "/mirror", failures: 0 });
  });

  it("print what others named without control characters, but for JSON", async () => {
    let path = join(folder.path, "b");
    for (let depth = 0; depth < 5; depth += 1)
      path = join(path, `\u001b[2J\u202e${"x".repeat(240)}`);
    await mkdir(path, { recursive: true });
    const { stdout, stderr } = await sources("sync", "files");
    assert.match(stderr, /^left out b\/\\u{1b}\[2J\\u{202e}xxx.*: its path is \d+ bytes; need/m);
    // As a store may answer.
    const message = "E'denied \\x1b[31m\u202e'";
    for (const statement of [
      `update uploads.source_runs set reason = ${message}`,
      `update uploads.sources set outcome = 'failed', message = ${message}`,
    ]) {
      await select(database.databaseUrl, statement);
    }
    const runs = (await sources("runs", "files")).stdout;
    assert.match(runs, /^ {2}b\/\\u{1b}\[2J\\u{202e}xxx.*: its path/m);
    assert.match(runs, /denied \\u{1b}\[31m\\u{202e}$/m);
    const list = (await sources("list")).stdout;
    assert.match(list, /denied \\u{1b}\[31m\\u{202e}$/m);
    const printed = stdout + stderr + runs + list;
    assert.deepEqual([printed.includes("\u001b"), printed.includes("\u202e")], [false, false]);
    const [run] = JSON.parse((await sources("runs", "files", "--json")).stdout);
    assert.equal(run.reason, "denied \u001b[31m\u202e");
    await rm(join(folder.path, "b"), { recursive: true });
  });

  it("refuse an Inventory report for a directory, before they begin a run", async () => {
    const before = (await sources("runs", "files", "--json")).stdout;
    const report = "s3://reports/manifest.json";
    const { stderr, exitCode } = await sources("sync", "files", "--inventory", report);
    assert.equal(exitCode, 1);
    assert.match(
      stderr,
      /^stowage: Cannot run files with --inventory: it mirrors the directory \//,
    );
    assert.equal((await sources("runs", "files", "--json")).stdout, before);
  });

  it("refuse a second source whose folder overlaps", async () => {
    const { stderr } = await sources("add", "dir", "/tmp", ...place, "--name", "other");
    assert.match(stderr, /Cannot add other at \/: the source files mirrors \/mirror of the same/);
  });

  it("stop a run where nothing is mounted any more, and say in the list what to do", async () => {
    const mounted = join(folder.path, "a");
    await rm(mounted, { recursive: true });
    await select(database.databaseUrl, "update uploads.sources set known_mounts = array[$1]", [
      mounted,
    ]);
    const { stderr, exitCode } = await sources("sync", "files");
    assert.equal(exitCode, 1);
    assert.match(stderr, /nothing is mounted at \/\S+\/a any more; what was there stays/);
    const { stdout } = await sources("list");
    assert.match(stdout, /^files +stopped/m);
    assert.match(stdout, /confirm it: stowage sources sync files --yes$/m);
  });

  it("say in the runs why one stopped, without advice that no longer holds", async () => {
    const { stdout } = await sources("runs", "files");
    assert.match(stdout, /stopped +0 +0 +0 +0 .*nothing is mounted at \S+ any more; .* stays$/m);
    assert.doesNotMatch(stdout, /confirm|--yes/);
  });

  it("print events as JSON", async () => {
    const { stdout } = await sources("sync", "files", "--yes", "--json");
    const events = stdout.trimEnd().split("\n");
    const end = JSON.parse(events.at(-1) ?? "");
    assert.deepEqual([end.event, end.outcome, end.counts.gone], ["end", "complete", 3]);
    assert.equal(JSON.parse(events[0] ?? "").event, "progress");
  });

  it("pause and resume the schedule", async () => {
    await sources("pause", "files");
    assert.match((await sources("list")).stdout, /^files +paused .*after: stowage sources resume/m);
    const options = ["--name", "files", "--mount", "/mirror", "--every", "15m"];
    const { stdout } = await sources("add", "dir", folder.path, ...place, ...options);
    assert.equal(stdout, "changed files; it is paused, to go on: stowage sources resume files\n");
    await sources("resume", "files");
    assert.match((await sources("list")).stdout, /^files +idle .*due$/m);
  });

  it("say what a source loses that is added again with fewer options", async () => {
    const add = (...options: string[]) =>
      sources(
        "add",
        "dir",
        folder.path,
        ...place,
        "--name",
        "files",
        "--mount",
        "/mirror",
        ...options,
      );
    await add("--every", "15m", "--exclude", "b", "--exclude", "c");
    const changed = await add("--exclude", "c");
    const lost = "no longer on a schedule (was every 15 min); no longer with --exclude b";
    const next = "run it with: stowage sources sync files";
    assert.equal(changed.stdout, `changed files: ${lost}; ${next}\n`);
    await sources("pause", "files");
    const resumed = await sources("resume", "files");
    assert.equal(resumed.stdout, `resumed files; it has no schedule, ${next}\n`);
  });

  it("print an address for the events of a store that is on a schedule", async () => {
    const store = ["add", "s3", "s3://photos", ...place, "--name", "photos", "--mount", "/store"];
    await sources(...store);
    const refused = await sources("hints", "photos");
    assert.match(refused.stderr, /Cannot take hints: photos has no schedule/);
    const queue = ["--sqs", "https://sqs.example.com/queue"];
    const { stderr } = await sources("hints", "files", ...queue);
    assert.match(stderr, /Cannot take hints: files is no store/);
    await sources(...store, "--every", "1h");
    const { stdout } = await sources("hints", "photos", "--url", "https://sync.example.com");
    assert.match(stdout, /^https:\/\/sync\.example\.com\/hints\/[0-9a-f-]{36}\?key=[\w-]{43}\n$/);
    const removed = await sources("hints", "photos", "--remove");
    assert.equal(removed.stdout, "no store can send hints to photos any more\n");
    await sources("remove", "photos");
  });

  it("remove a source with its uploads, or without", async () => {
    await writeFile(join(folder.path, "kept.jpg"), "");
    await sources("sync", "files");
    const kept = await sources("remove", "files", "--keep-uploads");
    assert.equal(kept.stdout, "removed files; its uploads stay\n", kept.stderr);
    const rows = () => select(database.databaseUrl, "select source_id from uploads.uploads");
    assert.deepEqual(await rows(), [{ source_id: null }]);
    const options = ["--name", "files", "--mount", "/mirror", "--sync"];
    await sources("add", "dir", folder.path, ...place, ...options);
    const removed = await sources("remove", "files");
    const next =
      "its bucket has no uploads now, to remove it: stowage buckets remove files.localhost";
    assert.equal(removed.stdout, `removed files; 1 upload removed; ${next}\n`, removed.stderr);
    assert.deepEqual(await rows(), []);
  });
});
