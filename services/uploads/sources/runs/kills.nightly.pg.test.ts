/**
 * Kills runs, and the database server, at random moments. `KILLS=50 npm test -- sources/runs/kills`
 * is the long form.
 */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  cephIsMissing,
  startNode,
  startTestServer,
  type TestServer,
} from "@stowage/process/testing";
import { select } from "../../import/testing/import.ts";
import { type ChangingPlace, startBucket, startDirectory } from "../testing/changing-place.ts";

const kills = Number(process.env.KILLS ?? 4);
const filesMax = 6000;
/** Most runs end within this time. */
const runMsMax = 1500;
const program = fileURLToPath(new URL("../../commands/sources.ts", import.meta.url));

const places = [
  { name: "directory", startPlace: startDirectory, skip: false },
  { name: "bucket", startPlace: startBucket, skip: cephIsMissing },
];

for (const { name, startPlace, skip } of places) {
  describe(`a source of a ${name}`, { skip }, () => {
    let server: TestServer;
    let place: ChangingPlace;
    before(async () => {
      server = await startTestServer();
      place = await startPlace(filesMax);
    });
    after(async () => {
      await server?.stop();
      await place?.remove();
    });

    it(`after ${kills} kills at random moments, index and ${name} are equal`, async () => {
      await place.change(filesMax);
      const bucket = ["--bucket", "files.localhost", "--organisation", "acme", "--name", "files"];
      const { exitCode, stderr } = await sources(["add", ...place.address, ...bucket]).ended;
      assert.equal(exitCode, 0, stderr);
      for (let killed = 0; killed < kills; ) {
        await place.change(100);
        if (await killRun()) killed += 1;
      }
      const end = await sources(["sync", "files", "--yes"], { LEASE_MS: "60000" }).ended;
      assert.equal(end.exitCode, 0, end.stderr);
      const uploads = await select<{ line: string }>(
        server.databaseUrl,
        "select path || '/' || filename || ' ' || size_bytes as line from uploads.uploads",
      );
      const files = await place.files();
      assert.deepEqual(uploads.map(({ line }) => line).toSorted(), files.toSorted());
      const leftovers = await select(
        server.databaseUrl,
        `select from pg_class
         where relkind = 'r' and relname ~ '^(listing|listed_folders|changes)_'`,
      );
      assert.equal(leftovers.length, 0);
    });

    // The lease of a killed run ends soon.
    function sources(parameters: readonly string[], settings = { LEASE_MS: "1000" }) {
      const { databaseUrl } = server;
      const env = { DATABASE_URL: databaseUrl, ...settings, ...place.environment };
      return startNode([program, ...parameters], { env });
    }

    /**
     * Starts a run, and kills it or the server at a random time after it has begun. Returns whether
     * it had not ended before.
     */
    async function killRun(): Promise<boolean> {
      const run = sources(["sync", "files", "--yes", "--json"]);
      await run.line(/"event":"progress"/).catch(() => undefined);
      const ended = run.ended.then(() => false);
      if (!(await Promise.race([sleep(randomInt(runMsMax), true), ended]))) return false;
      if (randomInt(3) > 0) run.kill("SIGKILL");
      else {
        await server.crash();
        await server.restart();
      }
      await run.ended;
      return true;
    }
  });
}
