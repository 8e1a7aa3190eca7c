/** Events of a store that come through SQS, from the change to the index. Needs moto_server. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import {
  listen,
  type StartedProcess,
  startNode,
  startProcess,
  type TestDatabase,
  until,
} from "@stowage/process/testing";
import { createUploadsDatabase, select } from "../../import/testing/import.ts";

const motoIsMissing = await promisify(execFile)("moto_server", ["--help"]).then(
  () => false,
  () => "there is no moto_server (Python package moto)",
);

describe("events in a queue", { skip: motoIsMissing }, () => {
  const environment = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" };
  let moto: StartedProcess;
  let store: S3Client;
  let queues: SQSClient;
  let queue: string;
  let database: TestDatabase;
  let sync: StartedProcess;
  before(async () => {
    const free = await listen(createServer());
    await free.close();
    moto = startProcess("moto_server", ["-H", "127.0.0.1", "-p", `${free.port}`]);
    const endpoint = `http://127.0.0.1:${free.port}`;
    await until("moto answers", () => fetch(endpoint).then(Boolean, () => false));
    const credentials = { accessKeyId: "key", secretAccessKey: "secret" };
    const options = { endpoint, region: "us-east-1", credentials };
    store = new S3Client({ ...options, forcePathStyle: true });
    queues = new SQSClient(options);
    database = await createUploadsDatabase();
    await store.send(new CreateBucketCommand({ Bucket: "content" }));
    const made = await queues.send(new CreateQueueCommand({ QueueName: "events" }));
    queue = made.QueueUrl ?? "";
    await store.send(new PutObjectCommand({ Bucket: "content", Key: "0", Body: "1" }));
    await store.send(
      new PutBucketNotificationConfigurationCommand({
        Bucket: "content",
        NotificationConfiguration: {
          QueueConfigurations: [
            {
              QueueArn: "arn:aws:sqs:us-east-1:123456789012:events",
              Events: ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"],
            },
          ],
        },
      }),
    );
    const place = ["s3://content", "--endpoint", endpoint, "--path-style"];
    const bucket = ["--bucket", "files.localhost", "--organisation", "acme"];
    await sources("add", "s3", ...place, ...bucket, "--name", "files", "--every", "1d", "--sync");
    await sources("hints", "files", "--sqs", queue);
    sync = start("../sync.ts");
  });
  after(async () => {
    sync?.kill("SIGTERM");
    await sync?.ended;
    moto?.kill("SIGTERM");
    await moto?.ended;
    await database?.drop();
  });

  function start(program: string, parameters: readonly string[] = []) {
    const path = fileURLToPath(new URL(program, import.meta.url));
    const env = { DATABASE_URL: database.databaseUrl, PORT: "0", ...environment };
    return startNode([path, ...parameters], { env, bareEnv: true });
  }

  async function sources(...parameters: readonly string[]): Promise<void> {
    const { exitCode, stderr } = await start("../sources.ts", parameters).ended;
    assert.equal(exitCode, 0, stderr);
  }

  const untilListed = (...keys: readonly string[]) =>
    until(`the index has ${keys}`, async () => {
      const byKey = "select external_path as key from uploads.uploads order by external_path";
      const rows = await select<{ key: string }>(database.databaseUrl, byKey);
      return JSON.stringify(rows.map(({ key }) => key)) === JSON.stringify(keys);
    });

  it("show what is put and removed, and are deleted", async () => {
    for (const Key of ["a b+é", "c"]) {
      await store.send(new PutObjectCommand({ Bucket: "content", Key, Body: "1" }));
    }
    await untilListed("0", "a b+é", "c");
    await store.send(new DeleteObjectCommand({ Bucket: "content", Key: "c" }));
    // As if the event had not come, and came through SNS.
    const record = { s3: { bucket: { name: "content" }, object: { key: "c" } } };
    const MessageBody = JSON.stringify({
      Type: "Notification",
      Message: JSON.stringify({ Records: [record] }),
    });
    await queues.send(new SendMessageCommand({ QueueUrl: queue, MessageBody }));
    await untilListed("0", "a b+é");
    await until("the queue is empty", async () => {
      const AttributeNames = ["All"] as const;
      const { Attributes: found = {} } = await queues.send(
        new GetQueueAttributesCommand({ QueueUrl: queue, AttributeNames: [...AttributeNames] }),
      );
      const { ApproximateNumberOfMessages: seen, ApproximateNumberOfMessagesNotVisible: taken } =
        found;
      return Number(seen) + Number(taken) === 0;
    });
  });
});
