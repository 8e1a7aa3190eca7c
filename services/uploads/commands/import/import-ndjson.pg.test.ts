import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import {
  bucketLine,
  createUploadsDatabase,
  readTables,
  select,
} from "../../import/testing/import.ts";
import { runProgram, startProgram } from "../testing/program.ts";

let database: TestDatabase;
let folder: string;
before(async () => {
  database = await createUploadsDatabase();
  folder = await mkdtemp(join(tmpdir(), "stowage-ndjson-"));
});
after(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const bucketId = "aaaaaaaa-0000-4000-8000-000000000000";
const hostname = "photos.example.com";
const upload = (filename: string, path = "/a/b") => ({ upload: { path, filename, sizeBytes: 1 } });
const textOf = (...lines: unknown[]) =>
  lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");

function run(parameters: string[], input = "") {
  return runProgram(["ndjson", ...parameters], { databaseUrl: database.databaseUrl, input });
}

describe("import ndjson", () => {
  it("imports standard input and prints a summary", async () => {
    const integration = { integration: { integrationId: bucketId, name: "Scanner" } };
    const input = textOf(bucketLine(bucketId, { hostname }), integration, upload("1"), upload("2"));
    assert.deepEqual(await run(["-"], input), {
      exitCode: 0,
      output:
        "imported 2 uploads, 3 folders and 1 integration into photos.example.com " +
        "(buckets: 1 new): 6 new, 0 changed, 0 unchanged\n",
      errors: "",
    });
    const { output } = await run(["-"], input);
    assert.equal(
      output,
      "imported 2 uploads, 3 folders and 1 integration into photos.example.com: " +
        "0 new, 0 changed, 6 unchanged\n",
    );
  });

  it("imports a file into the bucket that --bucket names", async () => {
    const file = join(folder, "lines.ndjson");
    await writeFile(file, textOf(upload("3")));
    const { exitCode, output } = await run([file, "--bucket", "Photos.Example.com"]);
    assert.equal(exitCode, 0);
    assert.match(output, /^imported 1 upload and 3 folders into photos.example.com: 1 new, /);
  });

  it("lists every wrong line, imports nothing and ends with exit code 1", async () => {
    const before = await readTables(database.databaseUrl);
    const wrong = Array.from({ length: 30 }, () => "{}");
    const input = textOf(bucketLine(bucketId, { hostname: "x" }), upload("4"), ...wrong);
    const { exitCode, output, errors } = await run(["-"], input);
    assert.deepEqual({ exitCode, output }, { exitCode: 1, output: "" });
    const lines = errors.trimEnd().split("\n");
    assert.equal(lines.length, 22);
    assert.equal(
      lines[0],
      "line 3: got none of bucket, integration, folder, upload and delete, need one",
    );
    assert.equal(lines[20], "and 10 more");
    assert.equal(lines[21], "stowage: Cannot import -: 30 of 32 lines are wrong; nothing was kept");
    assert.deepEqual(await readTables(database.databaseUrl), before);
  });

  it("imports the other lines with --skip-bad-lines and prints how many it skipped", async () => {
    const wrongBucket = { bucket: { bucketId } };
    const input = textOf("{", upload("5"), wrongBucket, upload("6"), upload("7"));
    const { exitCode, output, errors } = await run(
      ["-", "--bucket", hostname, "--skip-bad-lines"],
      input,
    );
    assert.equal(exitCode, 0);
    assert.match(
      output,
      /^imported 1 upload .*; 2 wrong lines skipped, and 2 lines of their buckets\n$/,
    );
    assert.match(errors, /^line 1: Cannot read JSON.*\nline 3: bucket.hostname: got nothing.*\n$/);
  });

  it("prints that it skipped no line", async () => {
    const { output } = await run(
      ["-", "--bucket", hostname, "--skip-bad-lines"],
      textOf(upload("1")),
    );
    assert.match(output, /unchanged; no line skipped\n$/);
  });

  it("prints its progress as lines if standard error is not a terminal", async () => {
    const lines = Array.from({ length: 50_500 }, (_, index) => upload(`${index}`, "/many"));
    const file = join(folder, "many.ndjson");
    await writeFile(file, textOf(...lines));
    const { output, errors } = await run([file, "--bucket", hostname]);
    assert.match(output, /^imported 50,500 uploads and 2 folders into /);
    const read = /^(reading [\d,]+ lines \(\d+%\).*\n)+writing to the index\n/;
    const written = /(writing [\d,]+ of [\d,]+ new uploads.*\n)+/;
    const updated = "updating searches, folders and totals\n";
    assert.match(errors, new RegExp(`${read.source}${written.source}${updated}$`));
  });

  it("imports nothing when it is stopped, and ends with the exit code of the signal", async () => {
    const before = await readTables(database.databaseUrl);
    const { databaseUrl } = database;
    const parameters = ["ndjson", "-", "--bucket", hostname];
    const { child, outcome } = startProgram(parameters, { databaseUrl });
    const lines = Array.from({ length: 60_000 }, (_, index) => upload(`${index}`, "/stopped"));
    child.stdin.on("error", () => undefined).write(textOf(...lines));
    await once(child.stderr, "data");
    child.kill("SIGINT");
    assert.equal((await outcome).exitCode, 130);
    assert.deepEqual(await readTables(database.databaseUrl), before);
    const text = "select from pg_stat_activity where application_name = 'stowage-import'";
    while ((await select(databaseUrl, text)).length > 0);
  });
});

describe("import ndjson rejects", () => {
  const cases: readonly [what: string, parameters: string[], exitCode: number, error: RegExp][] = [
    [
      "a missing file",
      ["/nowhere"],
      1,
      /^stowage: Cannot read \/nowhere: no such file .*\(ENOENT\)\n$/,
    ],
    ["a directory", [tmpdir()], 1, /: it is a directory; need a file, or `import dir`\n$/],
    ["a bucket that is not known", ["-", "--bucket", "x"], 1, /there is no bucket with that host/],
    ["an empty host name", ["-", "--bucket", ""], 2, /'' is invalid.* Need 1 to 253 characters/],
    ["no file", [], 2, /missing required argument 'file'/],
    ["an option it does not have", ["-", "--force"], 2, /unknown option '--force'/],
  ];
  for (const [what, parameters, expected, error] of cases) {
    it(`${what}, with exit code ${expected}`, async () => {
      const { exitCode, errors, output } = await run(parameters);
      assert.deepEqual({ exitCode, output }, { exitCode: expected, output: "" });
      assert.match(errors, error);
    });
  }

  it("wrong settings, all at once, with exit code 2", async () => {
    const environment = { DATABASE_URL: "mysql://x", LOG_LEVEL: "loud" };
    const { exitCode, errors } = await runProgram(["ndjson", "-"], { environment });
    assert.equal(exitCode, 2);
    assert.match(errors, /DATABASE_URL: .*\n.*LOG_LEVEL: /);
  });
});

describe("--help", () => {
  for (const command of [[], ["ndjson"], ["dir"]]) {
    it(`of import ${command} names the settings, without a database`, async () => {
      const { exitCode, output } = await runProgram([...command, "--help"]);
      assert.equal(exitCode, 0);
      assert.match(output, /^Usage: stowage import /);
      assert.match(output, /DATABASE_URL.*\n.*DATA_DIR/);
    });
  }
});
