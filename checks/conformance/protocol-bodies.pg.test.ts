/** Request bodies: strict JSON with the right members and types, within the size limit. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { plainLines } from "./samples/plain.ts";
import { callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { callJson, type JsonCall, listFolderTreePath, readError } from "./testing/json-caller.ts";

const bodyBytesMax = 64 * 1024;

/** Bodies that are not a single JSON object. */
const malformed: Record<string, string | Uint8Array<ArrayBuffer>> = {
  "a bracket that does not close": "{",
  "nothing but a comma": ",",
  "a trailing comma": '{"path":"/",}',
  "single quotes": "{'path':'/'}",
  "two objects": "{}{}",
  "a comment": "{/**/}",
  "a byte order mark": "\ufeff{}",
  "an array": "[]",
  null: "null",
  "a string": '"path"',
  "a number": "1",
  "bytes that are not UTF-8": Uint8Array.from([...Buffer.from('{"path":"/'), 0xff, 0x22, 0x7d]),
  "a member given twice": '{"path":"/a","path":"/b"}',
  "a member given twice in different spellings": '{"path":"/a","\\u0070ath":"/b"}',
  "a member given twice inside another": '{"tags":{"allOf":["a"],"allOf":["b"]}}',
};

/** Requests with one invalid field, and the path of that field in the error. */
const faults: [string, unknown, string][] = [
  ["an unknown member", { serach: "x" }, "serach"],
  ["an unknown member with null in it", { serach: null }, "serach"],
  ["an unknown member inside", { tags: { all: ["x"] } }, "tags.all"],
  ["a snake_case name", { sort_by: "filename" }, "sort_by"],
  ["a snake_case name inside", { bucketRef: { bucket_id: "x" } }, "bucketRef.bucket_id"],
  ["a name in another case", { Path: "/" }, "Path"],
  ["a string for a number", { pageSize: "7" }, "pageSize"],
  ["a fraction for an integer", { pageSize: 1.5 }, "pageSize"],
  ["a number too large", { year: 2147483648 }, "year"],
  ["a boolean for a number", { pageSize: true }, "pageSize"],
  ["a number for a string", { path: 5 }, "path"],
  ["a number for a boolean", { recursive: 1 }, "recursive"],
  ["a string for a boolean", { recursive: "true" }, "recursive"],
  ["a string for a list", { tags: { allOf: "red" } }, "tags.allOf"],
  ["null in a list", { tags: { allOf: [null] } }, "tags.allOf[0]"],
  ["a list for an object", { tags: [] }, "tags"],
  ["a string for an object", { bucketRef: "photos.example.com" }, "bucketRef"],
  ["a number for a time", { dateFrom: 1735689600 }, "dateFrom"],
  ["a day for a time", { dateFrom: "2025-01-01" }, "dateFrom"],
  ["a time without a zone", { dateTo: "2025-01-01T00:00:00" }, "dateTo"],
  ["a day that does not exist", { dateTo: "2025-02-30T00:00:00Z" }, "dateTo"],
  ["half of a surrogate pair", { search: "\ud83d" }, "search"],
  ["U+0000 in a text", { search: "a\u0000b" }, "search"],
];

describe("a body", () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines: plainLines });
  });
  after(() => deployment?.close());

  const call = (given: JsonCall) =>
    callJson(deployment.url, { token: deployment.issuer.mint(callers.reader), ...given });

  const assertTooLarge = async (given: JsonCall) => {
    const { status, code, reason } = readError(await call(given)).error;
    assert.deepEqual([status, code, reason], [429, "resource_exhausted", "BODY_TOO_LARGE"]);
  };

  for (const [what, body] of Object.entries(malformed)) {
    it(`is rejected with ${what}`, async () => {
      const { status, code } = readError(await call({ body })).error;
      assert.deepEqual([status, code], [400, "invalid_argument"]);
    });
  }

  for (const [what, body, field] of faults) {
    it(`is rejected with ${what}, and the error names the field`, async () => {
      const { error, text } = readError(await call({ body: JSON.stringify(body) }));
      const { status, code, reason, fields } = error;
      assert.deepEqual([status, code, reason], [400, "invalid_argument", "FIELD_INVALID"]);
      assert.deepEqual(fields, [field]);
      const { message } = JSON.parse(text) as { message: string };
      assert.ok(message.includes(field), message);
    });
  }

  it("is rejected with all invalid fields named at once", async () => {
    const { error } = readError(await call({ body: { serach: "x", pageSize: "7", path: 1 } }));
    assert.deepEqual(error.fields.toSorted(), ["pageSize", "path", "serach"]);
  });

  it("may have null for any member, as if it were left out", async () => {
    const all = ["bucketRef", "path", "year", "month", "tags", "dateFrom", "dateTo", "search"];
    const rest = ["sortBy", "sortOrder", "cursor", "recursive", "pageSize"];
    const nulls = Object.fromEntries([...all, ...rest].map((name) => [name, null]));
    const [without, withNulls] = [await call({}), await call({ body: nulls })];
    assert.equal(withNulls.status, 200);
    assert.equal(withNulls.text, without.text);
    const names = ["bucketRef", "folder", "includeUploads", "pathFilter", "uploadFilter"];
    const more = ["onlyMatches", "maxDepth", "includeRollups"];
    const body = Object.fromEntries([...names, ...more].map((name) => [name, null]));
    const path = listFolderTreePath;
    assert.equal((await call({ path, body })).text, (await call({ path })).text);
  });

  it("may have times with an offset, and numbers in any JSON form", async () => {
    const inUtc = await call({ body: { dateFrom: "2026-01-01T00:00:30Z", pageSize: 10 } });
    const inBerlin = await call({
      body: '{"dateFrom":"2026-01-01T01:00:30.000000000+01:00","pageSize":1e1}',
    });
    assert.equal(inBerlin.status, 200);
    const ids = (text: string) => text.match(/"uploadId":"[^"]+"/g);
    assert.deepEqual(ids(inBerlin.text), ids(inUtc.text));
  });

  it("may have 64 KiB, but not more", async () => {
    const longest = "{}".padEnd(bodyBytesMax, " ");
    assert.equal((await call({ body: longest })).status, 200);
    await assertTooLarge({ body: `${longest} ` });
    await assertTooLarge({ body: " ".repeat(5_000_000) });
  });

  it("may be compressed, with at most 64 KiB uncompressed", async () => {
    const headers = { "content-encoding": "gzip" };
    const zipped = (text: string) => new Uint8Array(gzipSync(text));
    const body = zipped('{"pageSize":3}');
    const { status, text } = await call({ headers, body });
    assert.equal(status, 200);
    assert.equal(text.match(/"uploadId"/g)?.length, 3);
    assert.equal((await call({ headers, body: zipped("{}".padEnd(bodyBytesMax)) })).status, 200);
    await assertTooLarge({ headers, body: zipped("{}".padEnd(bodyBytesMax + 1)) });
    await assertTooLarge({ headers, body: zipped(" ".repeat(50_000_000)) });
  });

  it("is rejected if its compression does not match its header", async () => {
    const headers = { "content-encoding": "gzip" };
    for (const body of ["{}", new Uint8Array(gzipSync("{}").subarray(0, 15))]) {
      const { status, code } = readError(await call({ headers, body })).error;
      assert.deepEqual([status, code], [400, "invalid_argument"]);
    }
    const unknown = await call({ headers: { "content-encoding": "zip" }, body: "{}" });
    assert.equal(readError(unknown).error.code, "unimplemented");
  });
});
