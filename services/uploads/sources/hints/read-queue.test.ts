import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { afterEach, beforeEach, it } from "node:test";
import { createLogger } from "@stowage/process";
import { type ListeningServer, listen, until } from "@stowage/process/testing";
import { readQueue } from "./read-queue.ts";

/** The messages of a queue that answers as SQS does. It gives out all that are not deleted. */
let messages: Map<string, string>;
let status: number;
let server: ListeningServer;
let stopping: AbortController;
beforeEach(async () => {
  messages = new Map();
  status = 200;
  stopping = new AbortController();
  server = await listen(
    createServer(async (request, response) => {
      const { Entries = [] } = (await json(request)) as { Entries?: { ReceiptHandle: string }[] };
      for (const { ReceiptHandle } of Entries) messages.delete(ReceiptHandle);
      const Messages = [...messages].slice(0, 10).map(([ReceiptHandle, Body]) => {
        return { ReceiptHandle, Body, MD5OfBody: createHash("md5").update(Body).digest("hex") };
      });
      response.writeHead(status, { "content-type": "application/x-amz-json-1.0" });
      const answer = Entries.length > 0 ? { Successful: [], Failed: [] } : { Messages };
      response.end(JSON.stringify(status === 200 ? answer : { __type: "QueueDoesNotExist" }));
    }),
  );
});
afterEach(async () => {
  stopping.abort();
  await server.close();
});

const event = (...keys: string[]) =>
  JSON.stringify({
    Records: keys.map((key) => ({ s3: { bucket: { name: "photos" }, object: { key } } })),
  });

function read(onHints: (keys: readonly string[]) => Promise<boolean>) {
  process.env.AWS_ACCESS_KEY_ID = "key";
  process.env.AWS_SECRET_ACCESS_KEY = "secret";
  return readQueue({
    queue: `http://127.0.0.1:${server.port}/000000000000/events`,
    location: { kind: "s3", bucket: "photos", prefix: "" },
    onHints,
    onAnswer: async () => undefined,
    logger: createLogger({ name: "test", level: "silent" }),
    signal: stopping.signal,
  });
}

it("deletes messages when their hints are stored, and not before", async () => {
  messages.set("first", event("a", "b"));
  messages.set("second", JSON.stringify({ Type: "Notification", Message: event("c") }));
  const told: (readonly string[])[] = [];
  let isStored = false;
  const reading = read(async (keys) => {
    assert.equal(messages.size, 2);
    told.push(keys);
    return isStored;
  });
  await until("they come again while they are not stored", () => told.length > 2);
  assert.deepEqual(told[0], ["a", "b", "c"]);
  isStored = true;
  await until("they are deleted", () => messages.size === 0);
  stopping.abort();
  await assert.rejects(reading, { name: "AbortError" });
});

it("deletes what is no event of the source, and tells nothing of it", async () => {
  messages.set("text", "no JSON");
  messages.set("test", JSON.stringify({ Event: "s3:TestEvent", Bucket: "photos" }));
  const reading = read(() => assert.fail("nothing is to be told"));
  await until("they are deleted", () => messages.size === 0);
  stopping.abort();
  await assert.rejects(reading, { name: "AbortError" });
});

it("fails if the queue does", async () => {
  status = 400;
  await assert.rejects(
    read(async () => true),
    { name: "QueueDoesNotExist" },
  );
});
