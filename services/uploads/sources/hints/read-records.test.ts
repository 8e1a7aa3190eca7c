import assert from "node:assert/strict";
import { it } from "node:test";
import { NotJsonError, readEvents } from "./read-records.ts";

const place = { bucket: "photos", prefix: "2026/" };
const record = (key: unknown, bucket: unknown = "photos") => ({
  s3: { bucket: { name: bucket }, object: { key } },
});
const read = (content: unknown) => readEvents(JSON.stringify(content), place);

it("reads keys as S3 encodes them, and as radosgw 16 does not", () => {
  const { keys } = read({ Records: [record("2026/a+b%C3%A9.jpg"), record("2026/é.jpg")] });
  assert.deepEqual(keys, ["2026/a+b%C3%A9.jpg", "2026/a bé.jpg", "2026/é.jpg"]);
});

it("ignores other buckets, keys outside the prefix, and what no key can be", () => {
  const others = [record("2027/a"), record("2026/a", "other"), record(7), null, {}, "record"];
  const impossible = [record(`2026/${"x".repeat(1024)}`), record("2026/\ud800")];
  assert.deepEqual(read({ Records: [...others, ...impossible, record("2026/a")] }).keys, [
    "2026/a",
  ]);
});

it("reads the records in a message of SNS", () => {
  const message = JSON.stringify({ Records: [record("2026/a")] });
  assert.deepEqual(read({ Type: "Notification", Message: message }).keys, ["2026/a"]);
});

it("says where a topic of SNS can be confirmed, and does not confirm it", () => {
  const message = { Type: "SubscriptionConfirmation", SubscribeURL: "https://sns.example.com/x" };
  assert.deepEqual(read(message), { keys: [], confirmAt: "https://sns.example.com/x" });
});

it("finds nothing in the test event of S3, and in JSON of other forms", () => {
  const test = { Service: "Amazon S3", Event: "s3:TestEvent", Bucket: "photos" };
  for (const content of [test, null, [], 1, "text", { Records: {} }]) {
    assert.deepEqual(read(content), { keys: [] });
  }
});

it("refuses what is not JSON", () => {
  assert.throws(() => readEvents("key=value", place), NotJsonError);
  assert.throws(() => read({ Message: "no JSON" }), NotJsonError);
});
