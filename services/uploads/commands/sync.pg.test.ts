import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { fileURLToPath } from "node:url";
import {
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

function start(program: string, ...parameters: string[]) {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const env = { DATABASE_URL: database.databaseUrl, PORT: "0" };
  return startNode([path, ...parameters], { env });
}

async function addDirectory(name: string): Promise<string> {
  const folder = await makeTemporaryFolder();
  folders.push(folder);
  await writeFile(join(folder.path, "file"), "");
  const bucket = ["--bucket", "files.localhost", "--organisation", "acme"];
  const options = ["--name", name, "--mount", `/${name}`, "--every", "1s"];
  const { exitCode, stderr } = await start(
    "sources.ts",
    "add",
    "dir",
    folder.path,
    ...bucket,
    ...options,
  ).ended;
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
