/** `stowage serve sync` as a program: how it starts, and how it ends. */
import assert from "node:assert/strict";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { fileURLToPath } from "node:url";
import {
  listen,
  makeTemporaryFolder,
  startNode,
  type TemporaryFolder,
  type TestDatabase,
  until,
} from "@stowage/process/testing";
import { createUploadsDatabase, select } from "../import/testing/import.ts";
import { mountSilent, silentIsMissing } from "../sources/testing/silent-file-system.ts";

let database: TestDatabase;
const folders: TemporaryFolder[] = [];
before(async () => {
  database = await createUploadsDatabase();
});
after(async () => {
  await database.drop();
  for (const folder of folders) await folder.remove();
});

function start(program: string, parameters: readonly string[] = [], port = 0) {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const env = { DATABASE_URL: database.databaseUrl, PORT: `${port}` };
  return startNode([path, ...parameters], { env, bareEnv: true });
}

async function addDirectory(name: string, ...others: readonly string[]): Promise<string> {
  const folder = await makeTemporaryFolder();
  folders.push(folder);
  await writeFile(join(folder.path, "file"), "");
  const bucket = ["--bucket", "files.localhost", "--organisation", "acme"];
  const options = ["--name", name, "--mount", `/${name}`, "--every", "1s", ...others];
  const parameters = ["add", "dir", folder.path, ...bucket, ...options];
  const { exitCode, stderr } = await start("sources.ts", parameters).ended;
  assert.equal(exitCode, 0, stderr);
  return folder.path;
}

const title = "serve sync runs other sources while a file system does not answer, and ends";
it(title, { skip: silentIsMissing }, async () => {
  const silent = await mountSilent(await addDirectory("silent"));
  await addDirectory("other");
  const sync = start("sync.ts");
  try {
    await silent.asked;
    const complete = "select from uploads.sources where name = 'other' and outcome = 'complete'";
    await until("the other source is complete", async () => {
      return (await select(database.databaseUrl, complete)).length > 0;
    });
    sync.kill("SIGTERM");
    const { exitCode, stderr } = await sync.ended;
    assert.equal(exitCode, 0, stderr);
  } finally {
    await silent.unmount();
  }
});

it("shows what changes in a watched directory, without a run", async () => {
  const directory = await addDirectory("watched", "--every", "1d", "--watch");
  const sync = start("sync.ts");
  const untilListed = (...files: readonly string[]) =>
    until(`${files} are listed`, async () => {
      const rows = await select<{ file: string }>(
        database.databaseUrl,
        `select external_path || ' ' || size_bytes as file from uploads.uploads
         join uploads.sources using (source_id) where name = 'watched' order by file`,
      );
      return JSON.stringify(rows.map(({ file }) => file)) === JSON.stringify(files);
    });
  await mkdir(join(directory, "a/b"), { recursive: true });
  await writeFile(join(directory, "a/b/new"), "1");
  await untilListed("a/b/new 1", "file 0");
  await writeFile(join(directory, "a/b/new"), "12");
  await rm(join(directory, "file"));
  await untilListed("a/b/new 2");
  await rename(join(directory, "a"), join(directory, "c"));
  await untilListed("c/b/new 2");
  await rename(join(directory, "c"), join(directory, "../elsewhere"));
  await mkdir(join(directory, "c"));
  await writeFile(join(directory, "c/é"), "");
  await untilListed("c/é 0");
  await rm(join(directory, "c"), { recursive: true });
  await untilListed();
  // The first one, and one when watching began.
  const runs = "select from uploads.source_runs join uploads.sources using (source_id)";
  const ended = await select(database.databaseUrl, `${runs} where name = 'watched'`);
  assert.ok(ended.length <= 2, `${ended.length} runs`);
  sync.kill("SIGTERM");
  const { exitCode, stderr } = await sync.ended;
  assert.equal(exitCode, 0, stderr);
});

it("names a port that is in use, and its setting", async () => {
  const { port, close } = await listen(createServer());
  const { exitCode, stderr } = await start("sync.ts", [], port).ended;
  await close();
  assert.equal(exitCode, 1);
  assert.match(stderr, new RegExp(`^sync: Cannot listen on .* port ${port} \\(PORT\\): `, "m"));
});

it("says where it listens, and that it stops", async () => {
  const sync = start("sync.ts");
  await sync.line(/^sync: listening on http:\/\/127\.0\.0\.1:\d+$/);
  sync.kill("SIGTERM");
  const { exitCode, stderr } = await sync.ended;
  assert.equal(exitCode, 0);
  assert.match(stderr, /"reason":"stopped by SIGTERM","msg":"stopping"/);
});
