import assert from "node:assert/strict";
import { it } from "node:test";
import { absoluteContentUrls } from "./content-url.ts";

const bucketId = "0b000000-0000-4000-8000-00000000000b";
const makeAbsolute = absoluteContentUrls("https://files.example.com/", bucketId);
const absolute = (json: string) => makeAbsolute(Buffer.from(json)).toString();
const stored = (id: string) => `"contentUrl":"/content/${bucketId}/${id}","sizeBytes":1`;

it("makes the addresses of all documents absolute", () => {
  const documents = `{"uploadId":"1",${stored("1")}},{"uploadId":"é",${stored('2\\"')},"x":1}`;
  assert.deepEqual(
    (JSON.parse(`[${absolute(documents)}]`) as { contentUrl: string }[]).map(
      ({ contentUrl }) => contentUrl,
    ),
    [1, '2"'].map((id) => `https://files.example.com/content/${bucketId}/${id}`),
  );
});

it("changes nothing else, and copies nothing without need", () => {
  for (const json of [
    '{"contentUrl":""}',
    '{"contentUrl":"https://else.example.com/content/1"}',
    `{"contentUrl":"/content/${bucketId.replace("0b", "0c")}/1"}`,
    `{"filename":${JSON.stringify(stored("1"))}}`,
  ]) {
    const bytes = Buffer.from(json);
    assert.equal(makeAbsolute(bytes), bytes, json);
  }
  const long = "a".repeat(10_000_000);
  for (const own of [
    `{"url":"x","contentUrl":"/content/${bucketId}/1"}`,
    `{"sizeBytes":1,"contentUrl":"/content/${bucketId}/1","description":"x"}`,
    `{"contentUrl":"/content/${bucketId}/${long}"}`,
  ]) {
    const json = `{"contentUrl":"","intentMetadata":{"own":${own}}}`;
    assert.equal(absolute(json), json);
  }
});
