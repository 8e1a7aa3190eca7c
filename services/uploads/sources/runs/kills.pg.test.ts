/**
 * Kills runs, and the database server, at random moments. `KILLS=50 npm test -- sources/runs/kills`
 * is the long form.
 */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  makeTemporaryFolder,
  startNode,
  startTestServer,
  type TemporaryFolder,
  type TestServer,
} from "@stowage/process/testing";
import { select } from "../../import/testing/import.ts";

const kills = Number(process.env.KILLS ?? 4);
const filesMax = 6000;
const program = fileURLToPath(new URL("../main.ts", import.meta.url));

let server: TestServer;
let folder: TemporaryFolder;
before(async () => {
  server = await startTestServer();
  folder = await makeTemporaryFolder();
});
after(async () => {
  await server.stop();
  await folder.remove();
});

function sources(...parameters: string[]) {
  const env = { DATABASE_URL: server.databaseUrl, LEASE_MS: "1000" };
  return startNode([program, ...parameters], { env });
}

async function changeFiles(count: number): Promise<void> {
  for (let change = 0; change < count; change++) {
    const number = randomInt(filesMax);
    const file = join(folder.path, `${number % 40}`, `file ${number}`);
    if (randomInt(4) === 0) await rm(file, { force: true });
    else await writeFile(file, "x".repeat(randomInt(100)));
  }
}

interface OpenRun {
  readonly id: string;
  readonly attempts: number;
  readonly hasCheckpoint: boolean;
}

async function openRun(): Promise<OpenRun | undefined> {
  const [run] = await select<OpenRun>(
    server.databaseUrl,
    `select run_id as id, attempts,
       exists (select from uploads.source_run_ranges g
               where g.run_id = r.run_id and listed_until is not null) as "hasCheckpoint"
     from uploads.source_runs r where ended_at is null`,
  );
  return run;
}

/** Starts a run, and kills it or the server at a random time after it has begun. */
async function killRun(): Promise<void> {
  const run = sources("sync", "files", "--yes", "--json");
  await run.line(/"event":"progress"/).catch(() => undefined);
  await Promise.race([sleep(randomInt(600)), run.ended]);
  if (randomInt(3) > 0) run.kill("SIGKILL");
  else {
    await server.crash();
    await server.restart();
  }
  await run.ended;
}

async function filesOnDisk(): Promise<string[]> {
  const entries = await readdir(folder.path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const lines = files.map(async ({ name, parentPath }) => {
    const { size } = await stat(join(parentPath, name));
    return `${parentPath.slice(folder.path.length)}/${name} ${size}`;
  });
  return (await Promise.all(lines)).toSorted();
}

it(`after ${kills} kills at random moments, index and directory are equal`, async (context) => {
  for (let number = 0; number < 40; number++) await mkdir(join(folder.path, `${number}`));
  await changeFiles(filesMax);
  const place = ["--bucket", "files.localhost", "--organisation", "acme", "--name", "files"];
  const { exitCode, stderr } = await sources("add", "dir", folder.path, ...place).ended;
  assert.equal(exitCode, 0, stderr);
  let continued = 0;
  for (let kill = 0; kill < kills; kill++) {
    const interrupted = await openRun();
    await changeFiles(100);
    await killRun();
    if (!interrupted?.hasCheckpoint) continue;
    const [run] = await select<{ attempts: number }>(
      server.databaseUrl,
      "select attempts from uploads.source_runs where run_id = $1",
      [interrupted.id],
    );
    assert.ok(run !== undefined, "a run with a checkpoint was given up");
    continued += run.attempts - interrupted.attempts;
  }
  context.diagnostic(`${continued} runs were continued from a checkpoint`);
  // The first may finish an older listing.
  for (const _ of [1, 2]) {
    const end = await sources("sync", "files", "--yes").ended;
    assert.equal(end.exitCode, 0, end.stderr);
  }
  const uploads = await select<{ line: string }>(
    server.databaseUrl,
    "select path || '/' || filename || ' ' || size_bytes as line from uploads.uploads",
  );
  assert.deepEqual(uploads.map(({ line }) => line).toSorted(), await filesOnDisk());
  const leftovers = await select(
    server.databaseUrl,
    "select from pg_class where relkind = 'r' and relname ~ '^(listing|listed_folders|changes)_'",
  );
  assert.equal(leftovers.length, 0);
});
