import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  assertRejected,
  bucketId,
  readLine,
  readText,
  smallUpload,
} from "../testing/read-record.ts";
import { lineBytesMax } from "./read-lines.ts";
import { readRecord } from "./read-record.ts";

const bucket = { bucketId, hostname: "a.example.com", organisationId: "org" };

const wrong: readonly [what: string, line: unknown, reason: string | RegExp][] = [
  [
    "a bucket without an ID",
    { bucket: { ...bucket, bucketId: undefined } },
    "bucket.bucketId: got nothing, need a value",
  ],
  [
    "a bucket whose ID is null",
    { bucket: { ...bucket, bucketId: null } },
    "bucket.bucketId: got nothing, need a value",
  ],
  [
    "a bucket whose ID is no UUID",
    { bucket: { ...bucket, bucketId: "1" } },
    'bucket.bucketId: got "1", need a UUID',
  ],
  [
    "a bucket whose ID has no version of RFC 9562",
    { bucket: { ...bucket, bucketId: "aaaaaaaa-0000-0000-8000-000000000000" } },
    'bucket.bucketId: got "aaaaaaaa-0000-0000-8000-000000000000", ' +
      "need a UUID of a version from 1 to 8",
  ],
  [
    "a bucket without a host name",
    { bucket: { ...bucket, hostname: undefined } },
    "bucket.hostname: got nothing, need a value",
  ],
  [
    "a bucket with an empty host name",
    { bucket: { ...bucket, hostname: "" } },
    'bucket.hostname: got "", need 1 to 253 characters',
  ],
  [
    "a bucket with a host name over the limit",
    { bucket: { ...bucket, hostname: "a".repeat(254) } },
    /^bucket.hostname: got "a+"…, need 1 to 253 characters$/,
  ],
  [
    "a bucket with a control character in its host name",
    { bucket: { ...bucket, hostname: "a\u001b]52;c" } },
    /^bucket.hostname: got ".*", need a text without white space and control characters$/,
  ],
  [
    "a bucket with a control character in its organisation",
    { bucket: { ...bucket, organisationId: "a\u0007" } },
    /^bucket.organisationId: got ".*", need a text without control characters$/,
  ],
  [
    "a bucket without an organisation",
    { bucket: { ...bucket, organisationId: undefined } },
    "bucket.organisationId: got nothing, need a value",
  ],
  [
    "a bucket with an empty organisation",
    { bucket: { ...bucket, organisationId: "" } },
    'bucket.organisationId: got "", need a text that is not empty',
  ],
  [
    "a bucket with an organisation over the limit",
    { bucket: { ...bucket, organisationId: "o".repeat(513) } },
    "bucket.organisationId: got 513 bytes, need at most 512",
  ],
  [
    "an integration without an ID",
    { integration: { name: "a" } },
    "integration.integrationId: got nothing, need a value",
  ],
  [
    "an integration with an empty ID",
    { integration: { integrationId: "" } },
    'integration.integrationId: got "", need a UUID',
  ],
  ["a folder without a path", { folder: {} }, "folder.path: got nothing, need a value"],
  [
    "a folder with `..` in its path",
    { folder: { path: "/a/../b" } },
    /^folder.path: got "\/a\/\.\.\/b", need another path/,
  ],
  [
    "a folder whose ID is no UUID",
    { folder: { path: "/a", folderId: "x" } },
    'folder.folderId: got "x", need a UUID or an empty text',
  ],
  [
    "a folder whose scoping integration is no UUID",
    { folder: { path: "/a", scopingIntegrationId: "x" } },
    'folder.scopingIntegrationId: got "x", need a UUID or an empty text',
  ],
  [
    "a folder whose virtual file's integration is no UUID",
    { folder: { path: "/a", virtualFileIntegrationId: "x" } },
    'folder.virtualFileIntegrationId: got "x", need a UUID or an empty text',
  ],
  [
    "a folder whose root upload is no UUID",
    { folder: { path: "/a", virtualFileRootUploadId: "x" } },
    'folder.virtualFileRootUploadId: got "x", need a UUID or an empty text',
  ],
  [
    "a folder with another parent",
    { folder: { path: "/a/b", parentPath: "/" } },
    'folder.parentPath: got "/", need "/a", or nothing',
  ],
  [
    "a root with a parent",
    { folder: { path: "/", parentPath: "/" } },
    'folder.parentPath: got "/", need none: the root has no folder above it',
  ],
  [
    "an empty path to delete",
    { delete: { path: "" } },
    'delete.path: got "", need a path; "/" is everything in the bucket',
  ],
  [
    "a path to delete whose name is missing",
    { delete: { path: "//" } },
    /^delete.path: got "\/\/", need another path: it has an empty segment/,
  ],
  [
    "a path to delete that ends with an empty name",
    { delete: { path: "/a//" } },
    /^delete.path: got "\/a\/\/", need another path: it has an empty segment/,
  ],
  [
    "an unknown kind",
    { file: {} },
    /^file: got an unknown field, need one of bucket, integration, folder, upload, delete$/,
  ],
  [
    "two kinds",
    { folder: { path: "/" }, upload: smallUpload },
    /only one of bucket, integration, folder, upload/,
  ],
  ["no kind", {}, "got none of bucket, integration, folder, upload and delete, need one"],
  [
    "null for a kind",
    { upload: null },
    "got none of bucket, integration, folder, upload and delete, need one",
  ],
  ["an array", [], "got an array, need an object"],
  ["a number", 1, "got 1, need an object"],
];

const unreadable: readonly [what: string, text: string | Buffer, reason: string | RegExp][] = [
  ["text that is not JSON", "{upload}", /^Cannot read JSON: .* at position 1$/],
  ["two objects", '{"folder":{"path":"/"}} {}', /^Cannot read JSON: /],
  [
    "a member given twice",
    '{"folder":{"path":"/a","path":"/b"}}',
    /^Cannot read JSON: got member name "path" again/,
  ],
  ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), "is not valid UTF-8"],
  ["more than 5 MiB", `{"x":"${"x".repeat(lineBytesMax)}"}`, "is longer than 5242880 bytes"],
  [
    "more than 1 MiB that would be exported with too much",
    JSON.stringify({
      upload: { ...smallUpload, intentMetadata: { x: { y: [0] } } },
    }).replace("[0", `[0${",1e20".repeat(250_000)}`),
    /^has 5500\d{3} bytes when exported; need at most 5177344$/,
  ],
];

describe("a line is wrong", () => {
  for (const [what, line, reason] of wrong) {
    it(`with ${what}`, () => {
      assertRejected(() => readLine(line), reason);
    });
  }
  for (const [what, text, reason] of unreadable) {
    it(`with ${what}`, () => {
      assertRejected(() => readText(text), reason);
    });
  }

  it("and the message lists everything that is wrong", () => {
    assertRejected(
      () => readLine({ upload: { path: "/a", sizeBytes: -1, integrationId: "x" } }),
      "upload.filename: got nothing, need a value; upload.sizeBytes: got -1, need 0 or more; " +
        'upload.integrationId: got "x", need a UUID or an empty text',
    );
  });

  it("when it belongs to no bucket", () => {
    const bytes = Buffer.from(JSON.stringify({ upload: smallUpload }));
    assertRejected(
      () => readRecord({ number: 1, bytes, isTooLong: false }, undefined),
      "belongs to no bucket; need a bucket line above it, or --bucket",
    );
  });
});

describe("a wrong line may have been a bucket line", () => {
  const cases: readonly [text: string, mayBeBucket: boolean][] = [
    ['{"bucket": {"bucketId": "1"}}', true],
    ['{"bucket": {"bucketId"', true],
    ['{ "bucket" : {}, "upload": {}}', true],
    ['cket": {"bucketId": "x", "organisationId": "o"}}', true],
    ['{"Bucket": {"id": "1", "hostname": "x"}}', true],
    ['{"bukket": {"hostname": "b.example.com"}}', true],
    ['{"upload": {"path": "/bucket"}}', false],
    ['{"upload": {"sizeBytes": "1", "intentMetadata": {"x": {"bucketId": "1"}}}}', false],
    ["not JSON", false],
    ['{"upload": {"tags": ["bucket"', false],
    ["", false],
  ];
  for (const [text, expected] of cases) {
    it(`${expected ? "as" : "but not"} ${text}`, () => {
      assert.equal(assertRejected(() => readText(text), /./).mayBeBucket, expected);
    });
  }
});
