import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  createTestDatabase,
  makeTemporaryFolder,
  startNode,
  type TemporaryFolder,
  type TestDatabase,
} from "@stowage/process/testing";

let database: TestDatabase;
let folder: TemporaryFolder;
before(async () => {
  database = await createTestDatabase();
  folder = await makeTemporaryFolder();
  await writeFile(join(folder.path, "index.html"), "<!doctype html>");
});
after(async () => {
  await folder.remove();
  await database.drop();
});

const secret = "hunter2-client";

function start(settings: Record<string, string | undefined>, options: string[] = []) {
  const env = {
    PATH: process.env.PATH,
    PORT: "0",
    DRAIN_MS: "0",
    CLIENT_ID: "id",
    PAGE_DIR: folder.path,
    DATABASE_URL: database.databaseUrl,
    SESSION_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    ...settings,
  };
  const main = new URL("main.ts", import.meta.url).pathname;
  return startNode([main, ...options], { bareEnv: true, env });
}

describe("the program", () => {
  it("starts, says where, answers, and ends after SIGTERM", async () => {
    const file = join(folder.path, "secret");
    await writeFile(file, `${secret}\n`);
    const pageUrl = "https://files.example.com";
    const program = start({ CLIENT_SECRET_FILE: file, PAGE_URL: pageUrl });
    const line = await program.line(/^web: listening on /);
    const [, address, forUrl] = /on (http:\/\/127\.0\.0\.1:\d+) for (.*)$/.exec(line) ?? [];
    assert.equal(forUrl, pageUrl);
    const { status } = await fetch(`${address}/readyz`);
    assert.equal(status, 200);
    program.kill("SIGTERM");
    const { exitCode, stderr } = await program.ended;
    assert.equal(exitCode, 0);
    assert.ok(!stderr.includes(secret));
  });

  const wrong: [string, Record<string, string | undefined>, RegExp][] = [
    [
      "no secret",
      {},
      /CLIENT_SECRET: got nothing, need either CLIENT_SECRET or CLIENT_SECRET_FILE/,
    ],
    [
      "two secrets",
      { CLIENT_SECRET: secret, CLIENT_SECRET_FILE: "/x" },
      /got CLIENT_SECRET_FILE as/,
    ],
    ["no such file", { CLIENT_SECRET_FILE: "/nowhere/x" }, /CLIENT_SECRET_FILE: cannot read/],
    [
      "no key",
      { CLIENT_SECRET: secret, SESSION_ENCRYPTION_KEY: undefined },
      /SESSION_ENCRYPTION_KEY: got nothing, need 32 bytes in base64/,
    ],
    [
      "no build of the page",
      { CLIENT_SECRET: secret, PAGE_DIR: "/nowhere" },
      /PAGE_DIR: there is no \/nowhere\/index.html; npm run build makes the page, as npm ci does/,
    ],
    ["no client", { CLIENT_SECRET: secret, CLIENT_ID: undefined }, /CLIENT_ID: got nothing/],
  ];
  for (const [what, settings, message] of wrong) {
    it(`does not start with ${what}, and says so, also with --check-settings`, async () => {
      for (const options of [[], ["--check-settings"]]) {
        const { exitCode, stderr } = await start(settings, options).ended;
        assert.equal(exitCode, 2, stderr);
        assert.match(stderr, message);
        assert.ok(!stderr.includes(secret));
      }
    });
  }

  it("reports all faults together: those of one setting, of several, and of files", async () => {
    const faults = {
      CLIENT_ID: undefined,
      SESSION_ENCRYPTION_KEY: undefined,
      PAGE_DIR: "/nowhere",
    };
    const { exitCode, stderr } = await start({ ...faults, METRICS_PORT: "x" }).ended;
    const names = Array.from(stderr.matchAll(/^ {2}(\w+): /gm), ([, name]) => name);
    const expected = ["CLIENT_ID", "METRICS_PORT", "CLIENT_SECRET", "SESSION_ENCRYPTION_KEY"];
    assert.deepEqual([exitCode, names], [2, [...expected, "PAGE_DIR"]]);
  });

  it("warns of a misspelled setting", async () => {
    const settings = { CLIENT_SECRET: secret, SESSION_COKIE: "__Host-mine" };
    const { exitCode, stderr } = await start(settings, ["--check-settings"]).ended;
    const { level, found, setting } = JSON.parse(stderr);
    const expected = [0, "warn", "SESSION_COKIE", "SESSION_COOKIE"];
    assert.deepEqual([exitCode, level, found, setting], expected);
  });
});
