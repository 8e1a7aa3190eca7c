/** The commands that people type, against running services. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type StartedProcess, startProcess } from "@stowage/process/testing";
import { root } from "../testing/programs.ts";
import { type Place, preparePlace, startAll, stowage, untilReady } from "./testing/npm-start.ts";

const bucketId = "6f3c7a52-0c43-4f37-8d0e-8a7a3d2f4b11";

/** Uploads of the bucket, from the newest to the oldest. */
const uploads = [
  { path: "/docs", filename: "Report.pdf", sizeBytes: 2048, tags: ["final", "tax"] },
  { path: "/docs/old", filename: "report 1.pdf", sizeBytes: 1024, tags: ["tax"] },
  { path: "/docs/old", filename: "bell\u0007\u001b[31m.txt", sizeBytes: 3, tags: ["draft"] },
  { path: "/", filename: "top.jpg", sizeBytes: 5_000_000, tags: [] },
].map((upload, index) => ({ ...upload, createdAt: `2026-01-0${4 - index}T12:00:00.123456Z` }));

// The tests only read, and mostly wait for their processes.
describe("the command stowage", { concurrency: 2 }, () => {
  let place: Place;
  let started: StartedProcess;
  let environment: Record<string, string> = {};

  before(async () => {
    place = await preparePlace();
    const { directory } = place;
    environment = place.environment;
    await writeFile(join(directory, "only.txt"), "x");
    started = startAll(directory, environment);
    await untilReady(started);
    await importUploads();
  });
  after(async () => {
    started.kill("SIGTERM");
    await started.ended;
    await place.remove();
  });

  async function importUploads(): Promise<void> {
    const { organisationId } = await savedClient();
    const bucket = { bucketId, hostname: "docs.example.com", organisationId, primary: true };
    const lines = [{ bucket }, ...uploads.map((upload) => ({ upload }))];
    const file = join(place.folder, "uploads.ndjson");
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { exitCode, stderr } = await stowage(["import", "ndjson", file], environment);
    assert.equal(exitCode, 0, stderr);
  }

  async function savedClient() {
    return JSON.parse(await readFile(join(place.folder, "data", "local-client.json"), "utf8"));
  }

  /** The paths of folders and the filenames that a command lists. */
  async function listed(command: "find" | "ls", ...parameters: string[]): Promise<string[]> {
    const { exitCode, stdout, stderr } = await stowage(
      [command, "--json", ...parameters],
      environment,
    );
    assert.equal(exitCode, 0, stderr);
    return stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      .map(({ folder, filename }) => folder?.path ?? filename);
  }

  const [report = "", report1 = "", bell = "", top = ""] = uploads.map(({ filename }) => filename);
  const lists: Record<string, [parameters: string[], filenames: string[]]> = {
    "the whole bucket, newest first": [[], [report, report1, bell, top]],
    "one folder": [["/docs"], ["/docs/old", report]],
    "a folder and all under it": [
      ["/docs", "--recursive"],
      [report, report1, bell],
    ],
    "what a query finds": [["--query", "report size:<1500"], [report1]],
    "what a query finds directly in a folder": [["/docs", "--query", "report"], [report]],
    "what a search finds": [
      ["--search", "REPORT"],
      [report, report1],
    ],
    "what a pattern matches": [
      ["--search", "report*"],
      [report, report1],
    ],
    "what has a tag": [
      ["--tag", "tax"],
      [report, report1],
    ],
    "what has two tags": [["--tag", "tax", "--tag", "final"], [report]],
    "what has one of two tags": [
      ["--any-tag", "draft", "--any-tag", "final"],
      [report, bell],
    ],
    "what lacks a tag": [
      ["--without-tag", "tax"],
      [bell, top],
    ],
    "what was made since a day": [
      ["--from", "2026-01-03"],
      [report, report1],
    ],
    "what was made up to a day": [
      ["--to", "2026-01-02"],
      [bell, top],
    ],
    "what was made up to a time": [["--to", "2026-01-02T12:00:00.123455Z"], [top]],
    "the largest first": [
      ["--sort", "size_bytes"],
      [top, report, report1, bell],
    ],
    "the smallest first": [["--sort", "size_bytes", "--order", "asc", "--limit", "1"], [bell]],
    "page by page": [
      ["--all", "--page-size", "1"],
      [report, report1, bell, top],
    ],
    "as many as asked for": [
      ["--limit", "3", "--page-size", "2"],
      [report, report1, bell],
    ],
    "a bucket by host name": [["--bucket", "DOCS.example.com", "--limit", "1"], [report]],
    "a bucket by ID": [["--bucket", bucketId, "--limit", "1"], [report]],
  };
  for (const [what, [parameters, filenames]] of Object.entries(lists)) {
    it(`lists ${what}`, async () => assert.deepEqual(await listed("ls", ...parameters), filenames));
  }

  it("lists size, time and path for people, with control characters escaped", async () => {
    const { stdout, stderr } = await stowage(["ls", "--limit", "3"], environment);
    assert.deepEqual(stdout.split("\n"), [
      "  2.0 KiB  2026-01-04T12:00:00Z  /docs/Report.pdf",
      "  1.0 KiB  2026-01-03T12:00:00Z  /docs/old/report 1.pdf",
      "      3 B  2026-01-02T12:00:00Z  /docs/old/bell\\u{7}\\u{1b}[31m.txt",
      "",
    ]);
    assert.equal(stderr, "the first 3 files; --all or a higher --limit lists more\n");
  });

  it("lists the folders in a folder before its files", async () => {
    const { stdout, stderr } = await stowage(["ls", "/"], environment);
    assert.deepEqual(stdout.split("\n"), [
      "  3.0 KiB  -                     /docs/",
      "  4.8 MiB  2026-01-01T12:00:00Z  /top.jpg",
      "",
    ]);
    assert.equal(stderr, "");
  });

  const finds: Record<string, [words: string[], found: string[]]> = {
    "folders, then files": [["OLD"], ["/docs/old", report1, bell]],
    "a text with a space": [["report 1"], [report1]],
    "what has all words, and not an excluded one": [["--", "report", "docs", "-old"], [report]],
    "what a pattern matches": [
      ["*.pdf", "--order", "asc"],
      [report1, report],
    ],
    "what filters match": [
      ["ext:pdf,jpg", "size:>1kB", "--sort", "size_bytes"],
      [top, report, report1],
    ],
    "what is in a folder": [["in:/docs", "tag:tax", "created:2026-01-04"], [report]],
  };
  for (const [what, [words, found]] of Object.entries(finds)) {
    it(`finds ${what}`, async () => assert.deepEqual(await listed("find", ...words), found));
  }

  it("refuses a filter with a wrong value as wrong usage, and says what is allowed", async () => {
    for (const parameters of [
      ["find", "report", "size:big"],
      ["ls", "--query", "size:big"],
    ]) {
      const { exitCode, stdout, stderr } = await stowage(parameters, environment);
      assert.deepEqual([exitCode, stdout], [2, ""]);
      assert.match(stderr, /^stowage: Cannot \w+ files: .*size:big.* size:>100MB.*\n$/);
    }
  });

  it("shows the sizes of folders, the largest first", async () => {
    const { stdout } = await stowage(["du", "--depth", "2"], environment);
    assert.deepEqual(stdout.split("\n"), [
      "  4.8 MiB  4 files  /",
      "  3.0 KiB  3 files  /docs/",
      "  1.0 KiB  2 files  /docs/old/",
      "",
    ]);
    const lines = (await stowage(["du", "/docs", "--json"], environment)).stdout.split("\n");
    assert.deepEqual(JSON.parse(lines[1] ?? ""), {
      ...{ path: "/docs/old", uploadCount: 2, sizeBytes: 1027 },
      ...{ subtreeUploadCount: 2, subtreeSizeBytes: 1027 },
    });
  });

  it("shows what is known of a file and of a folder", async () => {
    const file = await stowage(["stat", "/docs/Report.pdf"], environment);
    assert.match(file.stdout, /^path +\/docs\/Report\.pdf\nsize +2\.0 KiB \(2,048 bytes\)\n/);
    assert.match(file.stdout, /^tags +final, tax\n/m);
    for (const path of ["/docs", "docs/"]) {
      const folder = await stowage(["stat", path], environment);
      assert.match(folder.stdout, /^path +\/docs\/\nsize +3\.0 KiB \(3,075 bytes\), 3 files\n/);
    }
    const [upload, folder] = await Promise.all(
      ["/top.jpg", "/"].map((path) => stowage(["stat", path, "--json"], environment)),
    );
    assert.equal(JSON.parse(upload?.stdout ?? "").sizeBytes, 5_000_000);
    assert.equal(JSON.parse(folder?.stdout ?? "").rollup.subtreeUploadCount, 4);
  });

  it("draws the tree with uploads", async () => {
    const { stdout } = await stowage(["tree", "--uploads"], environment);
    assert.deepEqual(stdout.split("\n"), [
      "/",
      "├── docs/",
      "│   ├── old/",
      "│   │   ├── bell\\u{7}\\u{1b}[31m.txt",
      "│   │   └── report 1.pdf",
      "│   └── Report.pdf",
      "└── top.jpg",
      "",
      "2 folders, 4 uploads",
      "",
    ]);
  });

  const trees: Record<string, [parameters: string[], lines: string[]]> = {
    "a folder": [["/docs"], ["/docs", "└── old/", "", "1 folder"]],
    "one level": [
      ["--depth", "1"],
      ["/", "└── docs/ …", "", "1 folder"],
    ],
    totals: [
      ["--rollups", "--depth", "1"],
      ["/  (4 uploads, 4.8 MiB)", "└── docs/ …  (3 uploads, 3.0 KiB)", "", "1 folder"],
    ],
    "folders that hold a match": [
      ["--upload-filter", "equals:report.pdf", "--only-matches"],
      ["/", "└── docs/ *", "", "1 folder, 1 marked"],
    ],
    "folders whose path matches": [
      ["--path-filter", "*/OLD"],
      ["/", "└── docs/", "    └── old/ *", "", "2 folders, 1 marked"],
    ],
    "no folders when case differs": [
      ["--path-filter", "*/OLD", "--case-sensitive"],
      ["/", "", "0 folders, 0 marked"],
    ],
  };
  for (const [what, [parameters, lines]] of Object.entries(trees)) {
    it(`draws ${what}`, async () => {
      const { stdout } = await stowage(["tree", ...parameters], environment);
      assert.deepEqual(stdout.split("\n"), [...lines, ""]);
    });
  }

  it("prints the tree as the contract's JSON", async () => {
    const { stdout } = await stowage(["tree", "/docs", "--uploads", "--json"], environment);
    const { children, uploads: inside } = JSON.parse(stdout);
    assert.equal(children[0].folder.path, "/docs/old");
    assert.equal(inside[0].sizeBytes, 2048);
  });

  it("prints a token that another call can use, and nothing else", async () => {
    const { clientId, clientSecret, authUrl, baseUrl } = await savedClient();
    const token = await stowage(["token", "--client-id", clientId, "--auth-url", authUrl], {
      STOWAGE_CLIENT_SECRET: clientSecret,
      DATA_DIR: join(place.folder, "nothing here"),
    });
    assert.match(token.stdout, /^eyJ[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const { stdout } = await stowage(["ls", "--limit", "1"], {
      STOWAGE_TOKEN: token.stdout.trim(),
      BASE_URL: baseUrl,
      DATA_DIR: join(place.folder, "nothing here"),
    });
    assert.match(stdout, /Report\.pdf/);
  });

  it("says where there are no files", async () => {
    for (const [parameters, said] of [
      [["/typo", "--recursive"], "no files in /typo\n"],
      [
        ["/docs", "--tag", "x"],
        "no such files directly in /docs; --recursive also lists the folders under it\n",
      ],
      [["--search", "typo"], "no such files\n"],
    ] as const) {
      const { exitCode, stdout, stderr } = await stowage(["ls", ...parameters], environment);
      assert.deepEqual([exitCode, stdout, stderr], [0, "", said]);
    }
  });

  const failures: Record<string, [parameters: string[], said: RegExp]> = {
    "a bucket that is not there": [
      ["ls", "--bucket", "no.such"],
      /: no such bucket; .* \(BUCKET_NOT_FOUND\)$/m,
    ],
    "a folder that is not there": [["tree", "/no"], /\(FOLDER_NOT_FOUND\)$/m],
    "a listed folder that is not there": [
      ["ls", "/no"],
      /^stowage: Cannot list \/no: no such folder/,
    ],
    "a path of nothing": [["stat", "/no"], /^stowage: Cannot find \/no: no such file or folder/],
    "a token that is none": [["ls", "--token", "x"], /\(TOKEN_MALFORMED\)$/m],
    "a service that is not there": [
      ["ls", "--base-url", "http://127.0.0.1:1", "--token", "x"],
      /at http:\S+:1: nothing listens there; start .* npm start, or name others with --base-url$/m,
    ],
    "a service that the saved client is not for": [
      ["ls", "--base-url", "http://127.0.0.1:1"],
      /set STOWAGE_TOKEN/,
    ],
    "an issuer that the saved client is not for": [
      ["token", "--auth-url", "http://127.0.0.1:1"],
      /give --client-id/,
    ],
    "a secret that is wrong": [
      ["token", "--client-id", bucketId],
      /the client or its secret is refused/,
    ],
    "a client without a secret": [["token", "--client-id", "x"], /STOWAGE_CLIENT_SECRET/],
  };
  for (const [what, [parameters, said]] of Object.entries(failures)) {
    it(`reports ${what} in one line, with exit code 1`, async () => {
      const secret = what === "a secret that is wrong" ? { STOWAGE_CLIENT_SECRET: "no" } : {};
      const result = await stowage(parameters, { ...environment, ...secret });
      assert.equal(result.exitCode, 1);
      assert.equal(result.stdout, "");
      assert.match(result.stderr, /^stowage: Cannot [^\n]*\n$/);
      assert.match(result.stderr, said);
    });
  }

  it("ends without an error when its output is no longer read", async () => {
    const script = `"$0" clients/cli/main.ts ls --all --page-size 1 | head -n 1`;
    const { stdout, stderr } = await startProcess("sh", ["-c", script, process.execPath], {
      cwd: root,
      env: environment,
    }).ended;
    assert.match(stdout, /Report\.pdf/);
    assert.equal(stderr, "");
  });

  it("is the process of its service: takes its signals, and returns its exit code", async () => {
    const service = startProcess("clients/cli/stowage.sh", ["serve", "uploads"], {
      cwd: root,
      env: { ...environment, PORT: "0", LOG_LEVEL: "warn" },
    });
    await service.line(/^uploads: listening on /);
    service.kill("SIGINT");
    const { exitCode, stderr } = await service.ended;
    assert.equal(stderr, "");
    assert.equal(exitCode, 0);
  });
});
