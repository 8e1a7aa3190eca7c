/** The errors of `npm start`, and what they leave behind. */
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createTestDatabase, listen } from "@stowage/process/testing";
import { processesWith } from "../testing/programs.ts";
import { type Place, preparePlace, startAll, stowage, untilReady } from "./testing/npm-start.ts";
import { makeSampleFiles } from "./testing/sample-files.ts";

describe("npm start on a given database", () => {
  let place: Place;
  let directory = "";
  let environment: Record<string, string> = {};

  before(async () => {
    place = await preparePlace();
    ({ directory, environment } = place);
    await makeSampleFiles(directory);
  });
  after(() => place.remove());

  it("reports all invalid settings at once, with exit code 2, and starts nothing", async () => {
    const { exitCode, stdout, stderr } = await startAll(directory, {
      DATA_DIR: environment.DATA_DIR ?? "",
      DATABASE_URL: "mysql://secret@host",
      PORT: "abc",
      AUTH_PORT: "70000",
      METRICS_PORT: "x",
      AUTH_METRICS_PORT: "y",
      WEB_PORT: "1e4",
      WEB_METRICS_PORT: "z",
      PAGE_URL: "http://files.example.com",
      HOST: "a b",
      AUTH_URL: "ftp://a",
      BASE_URL: "nowhere",
      LOG_LEVEL: "loud",
      TREE_NODES_MAX: "0",
    }).ended;
    assert.equal(exitCode, 2);
    assert.equal(stdout, "");
    const names = Array.from(stderr.matchAll(/^ {2}([A-Z_]+): /gm), ([, name]) => name);
    const expected = ["AUTH_METRICS_PORT", "AUTH_PORT", "AUTH_URL", "BASE_URL", "DATABASE_URL"];
    expected.push("HOST", "LOG_LEVEL", "METRICS_PORT", "PAGE_URL", "PORT", "TREE_NODES_MAX");
    expected.push("WEB_METRICS_PORT", "WEB_PORT");
    // The uploads service and npm start report BASE_URL in their own words.
    assert.deepEqual([...new Set(names)].sort(), expected);
    assert.doesNotMatch(stderr, /secret@/);
  });

  for (const setting of ["PORT", "AUTH_PORT", "WEB_PORT", "METRICS_PORT", "WEB_METRICS_PORT"]) {
    it(`names the port that is in use, and ${setting}`, async () => {
      const { port, close } = await listen(createServer());
      const given = { ...environment, [setting]: String(port) };
      const { exitCode, stdout, stderr } = await startAll(directory, given).ended;
      await close();
      assert.equal(exitCode, 1);
      assert.equal(stdout, "");
      assert.match(stderr, new RegExp(`port ${port}: the port is in use; set ${setting} to `));
    });
  }

  it("says how to build the page if that was left out", async () => {
    const given = { ...environment, PAGE_DIR: directory };
    const { exitCode, stdout, stderr } = await startAll(directory, given).ended;
    assert.deepEqual([exitCode, stdout], [2, ""]);
    assert.match(
      stderr,
      /^stowage: Cannot read the settings:\n {2}PAGE_DIR: .* npm run build makes/,
    );
  });

  it("prints no link for an account that was disabled, but how to enable it", async () => {
    const first = startAll(directory, environment);
    await untilReady(first);
    await stowage(["accounts", "disable", "demo"], environment);
    first.kill("SIGTERM");
    await first.ended;
    const second = startAll(directory, environment);
    const said = await untilReady(second);
    second.kill("SIGTERM");
    await second.ended;
    assert.doesNotMatch(said, /sign-in-link\?key/);
    assert.match(said, /The account demo is disabled.*npx stowage accounts enable demo/s);
  });

  it("rejects a directory that does not exist or is a file", async () => {
    for (const wrong of [join(place.folder, "missing"), join(directory, "file 0.jpg")]) {
      const { exitCode, stderr } = await startAll(wrong, environment).ended;
      assert.equal(exitCode, 1);
      assert.match(stderr, /^stowage: Cannot index .*\n$/);
    }
  });

  it("stops everything when one service ends, with exit code 1 and the reason", async () => {
    const started = startAll(directory, environment);
    await untilReady(started);
    const [uploadsId] = await processIdsOf("services/uploads/main.ts", environment.DATA_DIR ?? "");
    process.kill(Number(uploadsId), "SIGKILL");
    const { exitCode, stderr } = await started.ended;
    assert.equal(exitCode, 1);
    assert.match(stderr, /^stowage: Cannot go on: uploads ended with exit code 137$/m);
    assert.deepEqual(await processesWith(environment.DATA_DIR ?? ""), []);
  });

  it("adds a new client if the database does not have the stored one", async () => {
    const other = await createTestDatabase();
    try {
      const given = { ...environment, DATABASE_URL: other.databaseUrl };
      const started = startAll(directory, given);
      await untilReady(started);
      const { stdout } = await stowage(["ls", "--all"], given);
      assert.equal(stdout.split("\n").length, 64);
      started.kill("SIGTERM");
      assert.equal((await started.ended).exitCode, 0);
    } finally {
      await other.drop();
    }
  });
});

async function processIdsOf(program: string, text: string): Promise<string[]> {
  const found = await processesWith(text);
  return found.filter(({ commandLine }) => commandLine.includes(program)).map(({ id }) => id);
}
