/** Lists, walks and trees of a bucket while a schedule syncs it with a directory that changes. */
import assert from "node:assert/strict";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeTemporaryFolder, type TemporaryFolder, until } from "@stowage/process/testing";
import { type Service, startService, stowageOn } from "../testing/programs.ts";
import type { Tree, TreeNode } from "./model/messages.ts";
import { bucketLine, callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { listFolderTree } from "./testing/json-caller.ts";
import { readAllPages } from "./testing/read-pages.ts";

const lastingFiles = 120;

describe("reading while syncs run", () => {
  let deployment: Deployment;
  let folder: TemporaryFolder;
  const syncs: Service[] = [];

  before(async () => {
    deployment = await deploy({ lines: [bucketLine("primary")] });
    folder = await makeTemporaryFolder();
    for (let number = 0; number < lastingFiles; number++) {
      await mkdir(join(folder.path, `${number % 9}`), { recursive: true });
      await writeFile(join(folder.path, `${number % 9}`, `lasting ${number}`), `${number}`);
    }
    const { databaseUrl } = deployment;
    const place = ["--bucket", "primary.example.com", "--mount", "/mirror/files"];
    const options = ["--name", "files", "--every", "1s", "--sync"];
    await stowageOn(databaseUrl)(["sources", "add", "dir", folder.path, ...place, ...options]);
    // Two processes share the source.
    for (const _ of [1, 2]) {
      syncs.push(await startService("sync", { DATABASE_URL: databaseUrl, PORT: "0" }));
    }
  });
  after(async () => {
    for (const sync of syncs) await sync.stop();
    await deployment?.close();
    await folder?.remove();
  });

  let changes = 0;
  /** Adds, changes or removes files that do not last, in folders that come and go. */
  async function changeFiles(): Promise<void> {
    for (let change = 0; change < 5; change++) {
      changes += 1;
      const name = `${(changes * 7) % 60}`;
      const file = join(folder.path, `${(changes * 7) % 12}`, `fleeting ${name}`);
      await mkdir(join(file, ".."), { recursive: true });
      if (changes % 3 === 0) await rm(file, { force: true });
      else await writeFile(file, "x".repeat(changes % 50));
    }
    // A walk lasts some seconds, and a run begins in each of them.
    await sleep(100);
  }

  const lastingNames = Array.from({ length: lastingFiles }, (_, index) => `lasting ${index}`);

  for (const sortBy of ["filename", "size_bytes", "created_at"]) {
    it(`a walk by ${sortBy} returns each lasting upload exactly once`, async () => {
      const uploads = await readAllPages({
        deployment,
        caller: callers.reader,
        request: { recursive: true, sortBy, sortOrder: "desc" },
        pageSize: () => 4,
        meanwhile: changeFiles,
      });
      const names = uploads.map(({ filename }) => filename);
      const lasting = names.filter((name) => name.startsWith("lasting"));
      assert.deepEqual(lasting.toSorted(), lastingNames.toSorted());
    });
  }

  it("a tree has every lasting upload, and totals of what it shows", async () => {
    for (let round = 0; round < 20; round++) {
      const request = { includeUploads: true, includeRollups: true };
      const [tree] = await Promise.all([
        listFolderTree(deployment, callers.reader, request),
        changeFiles(),
      ]);
      if ("error" in tree) assert.fail(tree.text);
      const names = namesIn(tree);
      assert.equal(tree.rollup?.subtreeUploadCount, names.length);
      const lasting = names.filter((name) => name.startsWith("lasting"));
      assert.deepEqual(lasting.toSorted(), lastingNames.toSorted());
    }
  });

  it("in the end the index is the directory", async () => {
    const entries = await readdir(folder.path, { recursive: true, withFileTypes: true });
    const real = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    await until("the index follows", async () => {
      const tree = await listFolderTree(deployment, callers.reader, { includeUploads: true });
      if ("error" in tree) assert.fail(tree.text);
      return namesIn(tree).toSorted().join() === real.toSorted().join();
    });
  });
});

function namesIn({ uploads, children }: Tree | TreeNode): string[] {
  return [...uploads.map(({ filename }) => filename), ...children.flatMap(namesIn)];
}
