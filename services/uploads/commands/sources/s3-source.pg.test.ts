/** Sources of a real S3 store, run as people run them. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import {
  type CephServer,
  cephIsMissing,
  startCeph,
  startNode,
  type TestDatabase,
} from "@stowage/process/testing";
import { createUploadsDatabase, select } from "../../import/testing/import.ts";
import { startFaultyProxy } from "../../sources/testing/faulty-proxy.ts";
import { type BucketContent, createBucket } from "../../sources/testing/store-content.ts";

const program = fileURLToPath(new URL("../sources.ts", import.meta.url));

describe("sources of an S3 store", { skip: cephIsMissing }, () => {
  let server: CephServer;
  let database: TestDatabase;
  let content: BucketContent;
  before(async () => {
    [server, database] = await Promise.all([startCeph(), createUploadsDatabase()]);
    content = await createBucket(server, "content");
    for (let number = 0; number < 6; number++) {
      await content.put(`in/${number}`, "1");
      await content.put(`inside/${number}`, "1");
    }
  });
  after(async () => {
    await server?.stop();
    await database?.drop();
  });

  function sources(parameters: readonly string[], environment = server.environment) {
    const { databaseUrl } = database;
    const env = { DATABASE_URL: databaseUrl, ...environment };
    return startNode([program, ...parameters], { env }).ended;
  }

  async function add(name: string, address: string, mount: string) {
    const place = ["--bucket", "a.test", "--organisation", "acme", "--mount", mount];
    const store = ["--endpoint", server.endpoint, "--path-style", "--name", name];
    return await sources(["add", "s3", address, ...place, ...store, "--sync"]);
  }

  async function paths(): Promise<string[]> {
    const rows = await select<{ path: string }>(
      database.databaseUrl,
      "select path || '/' || filename as path from uploads.uploads order by 1",
    );
    return rows.map(({ path }) => path);
  }

  it("with a prefix and a sibling in one bucket never delete each other's rows", async () => {
    const first = await add("in", "s3://content/in", "/in");
    assert.equal(first.exitCode, 0, first.stderr);
    await add("inside", "s3://content/inside", "/inside");
    await content.remove("in/0");
    await content.remove("inside/1");
    for (const name of ["in", "inside"]) await sources(["sync", name]);
    const expected = [2, 3, 4, 5].flatMap((number) => [`/in/${number}`, `/inside/${number}`]);
    assert.deepEqual(await paths(), [...expected, "/in/1", "/inside/0"].toSorted());
  });

  it("keep tags that the store refuses to give, and lose those that are gone", async () => {
    const proxy = await startFaultyProxy(server.endpoint);
    try {
      await content.put("tagged/refused", "1", { tags: "k=refused" });
      await content.put("tagged/untagged", "1", { tags: "k=untagged" });
      const place = ["--bucket", "a.test", "--mount", "/tagged", "--name", "tagged", "--tags"];
      const store = ["--endpoint", proxy.endpoint, "--path-style", "--sync"];
      await sources(["add", "s3", "s3://content/tagged", ...place, ...store]);
      const read = () =>
        select<{ filename: string; tags: string[] | null; words: string | null }>(
          database.databaseUrl,
          `select filename, tags, search_words as words from uploads.uploads
           where path = '/tagged' order by 1`,
        );
      const [refused, untagged] = await read();
      assert.deepEqual([refused?.tags, untagged?.tags], [["k=refused"], ["k=untagged"]]);
      for (const name of ["refused", "untagged"]) await content.put(`tagged/${name}`, "22");
      proxy.damage((_, path) =>
        path.includes("refused?tagging") ? { status: 403, code: "AccessDenied" } : undefined,
      );
      const { exitCode, stdout, stderr } = await sources(["sync", "tagged"]);
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout + stderr, /answers 403 when asked for its tags; it keeps those it had/);
      const [kept, removed] = await read();
      assert.deepEqual(kept, refused);
      assert.deepEqual([removed?.tags, removed?.words], [null, null]);
    } finally {
      await proxy.stop();
      await sources(["remove", "tagged"]);
    }
  });

  it("keep everything when the credentials are refused, and say what to do", async () => {
    const before = await paths();
    const refused = { ...server.environment, AWS_SECRET_ACCESS_KEY: "of another account" };
    const { exitCode, stderr } = await sources(["sync", "in"], refused);
    assert.equal(exitCode, 1);
    assert.match(
      stderr,
      /^stowage: Cannot list s3:\/\/content\/in\/: the secret key .* check AWS_/,
    );
    const { stdout } = await sources(["list"]);
    assert.match(
      stdout,
      /^in failed: Cannot list s3:\/\/content\/in\/: the secret key .* check AWS_/m,
    );
    assert.deepEqual(await paths(), before);
  });

  it("lose everything that the store says is gone", async () => {
    const before = await paths();
    for (let number = 1; number < 6; number++) await content.remove(`in/${number}`);
    const { exitCode, stderr } = await sources(["sync", "in"]);
    assert.equal(exitCode, 0, stderr);
    const after = await paths();
    assert.equal(after.length, before.length - 5);
  });

  it("say that a prefix is wrong", async () => {
    const { stdout, stderr } = await add("wrong", "s3://content/typo", "/wrong");
    assert.match(stdout, /^added wrong\n$/);
    assert.match(stderr, /s3:\/\/content\/typo\/ has no objects\. Check the bucket,/);
    const missing = await add("missing", "s3://nowhere", "/missing");
    assert.match(missing.stderr, /Cannot list s3:\/\/nowhere\/: there is no bucket nowhere at/);
  });
});
