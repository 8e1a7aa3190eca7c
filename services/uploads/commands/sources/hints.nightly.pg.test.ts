/** Events of a real S3 store, from the change to the index. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import {
  ListBucketsCommand,
  PutBucketNotificationConfigurationCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import {
  type CephServer,
  cephIsMissing,
  type StartedProcess,
  startCeph,
  startNode,
  type TestDatabase,
  until,
} from "@stowage/process/testing";
import { createUploadsDatabase, select } from "../../import/testing/import.ts";
import { type BucketContent, createBucket } from "../../sources/testing/store-content.ts";

describe("hints of an S3 store", { skip: cephIsMissing }, () => {
  let server: CephServer;
  let database: TestDatabase;
  let content: BucketContent;
  let sync: StartedProcess;
  before(async () => {
    [server, database] = await Promise.all([startCeph(), createUploadsDatabase()]);
    content = await createBucket(server, "content");
    await content.put("in/first");
    sync = start("../sync.ts");
    const url = (await sync.line(/^sync: listening on http:\S+$/)).replace(/^.* /, "");
    const place = ["s3://content", "--endpoint", server.endpoint, "--path-style"];
    const bucket = ["--bucket", "files.localhost", "--organisation", "acme"];
    await sources("add", "s3", ...place, ...bucket, "--name", "files", "--every", "1d", "--sync");
    await notify(server, (await sources("hints", "files", "--url", url)).trim());
  });
  after(async () => {
    sync?.kill("SIGTERM");
    await sync?.ended;
    await server?.stop();
    await database?.drop();
  });

  function start(program: string, parameters: readonly string[] = []) {
    const path = fileURLToPath(new URL(program, import.meta.url));
    const env = { DATABASE_URL: database.databaseUrl, PORT: "0", ...server.environment };
    return startNode([path, ...parameters], { env, bareEnv: true });
  }

  async function sources(...parameters: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await start("../sources.ts", parameters).ended;
    assert.equal(exitCode, 0, stderr);
    return stdout;
  }

  const isThere = async (key: string) =>
    (await select(database.databaseUrl, byKey, [key])).length === 1;
  const byKey = "select from uploads.uploads where external_path = $1";

  it("show what is put and removed, whatever its key is", async (context) => {
    const keys = Array.from({ length: 10 }, (_, number) => `in/${number} é+%41.jpg`);
    const tookMs: number[] = [];
    const take = async (change: () => Promise<void>, isDone: () => Promise<boolean>) => {
      await change();
      const beganMs = performance.now();
      await until("the change shows", isDone);
      tookMs.push(performance.now() - beganMs);
    };
    for (const key of keys) {
      await take(
        () => content.put(key),
        () => isThere(key),
      );
    }
    for (const key of keys) {
      await take(
        () => content.remove(key),
        async () => !(await isThere(key)),
      );
    }
    const sorted = tookMs.toSorted((a, b) => a - b).map(Math.round);
    context.diagnostic(`a change shows after ${sorted[9]} ms (median), ${sorted[18]} ms (p95)`);
  });
});

/** Lets the gateway send the events of the bucket to the address. */
async function notify({ client: options }: CephServer, address: string): Promise<void> {
  const form = new URLSearchParams({ Action: "CreateTopic", Name: "hints" });
  form.set("Attributes.entry.1.key", "push-endpoint");
  form.set("Attributes.entry.1.value", address);
  await postForm(new S3Client(options), form);
  const TopicArn = `arn:aws:sns:default:${options.credentials.accessKeyId}:hints`;
  const Events = ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"] as const;
  await new S3Client(options).send(
    new PutBucketNotificationConfigurationCommand({
      Bucket: "content",
      NotificationConfiguration: {
        TopicConfigurations: [{ Id: "hints", TopicArn, Events: [...Events] }],
      },
    }),
  );
}

/** Sends a form, signed: the client knows no topics. */
async function postForm(client: S3Client, form: URLSearchParams): Promise<void> {
  client.middlewareStack.add(
    (next) => (args) => {
      const body = form.toString();
      const type = "application/x-www-form-urlencoded";
      Object.assign(args.request as object, { method: "POST", path: "/", query: {}, body });
      const { headers } = args.request as { headers: Record<string, string> };
      Object.assign(headers, { "content-type": type, "content-length": `${body.length}` });
      return next(args);
    },
    { step: "build", priority: "low" },
  );
  await client.send(new ListBucketsCommand({}));
}
