import { describe, it } from "node:test";
import { assertRejected, bucketId, many, readLine, smallUpload } from "../testing/read-record.ts";

const wrong: readonly [what: string, members: object, reason: string | RegExp][] = [
  ["an upload without a path", { path: undefined }, "upload.path: got nothing, need a value"],
  ["an upload whose path is null", { path: null }, "upload.path: got nothing, need a value"],
  [
    "an upload without a filename",
    { filename: undefined },
    "upload.filename: got nothing, need a value",
  ],
  [
    "an upload without a size",
    { sizeBytes: undefined },
    "upload.sizeBytes: got nothing, need a value",
  ],
  [
    "an empty segment in its path",
    { path: "/a//b" },
    /^upload.path: got "\/a\/\/b", need another path: it has an empty segment/,
  ],
  [
    "a path over 1024 bytes",
    { path: `/${"é".repeat(512)}` },
    /^upload.path: got .*, need another path: it is 1025 bytes; need at most 1024$/,
  ],
  ["a path over 512 segments", { path: "/a".repeat(513) }, /need at most 512$/],
  ["an empty filename", { filename: "" }, /^upload.filename: got "", need a name/],
  ["the filename `.`", { filename: "." }, /^upload.filename: got ".", need a name/],
  ["the filename `..`", { filename: ".." }, /^upload.filename: got "..", need a name/],
  ["a slash in its filename", { filename: "a/b" }, /^upload.filename: got "a\/b", need a name/],
  [
    "a filename over 1,024 bytes",
    { filename: "f".repeat(1025) },
    "upload.filename: got 1025 bytes, need at most 1024",
  ],
  [
    "a filename of fewer characters but over 1,024 bytes",
    { filename: "😀".repeat(257) },
    "upload.filename: got 1028 bytes, need at most 1024",
  ],
  ["a slash in its slug", { slug: "a/b" }, 'upload.slug: got "a/b", need no "/" in it'],
  [
    "a slug over 1,024 bytes",
    { slug: "s".repeat(1025) },
    "upload.slug: got 1025 bytes, need at most 1024",
  ],
  [
    "an ID over 128 bytes",
    { uploadId: "i".repeat(129) },
    "upload.uploadId: got 129 bytes, need at most 128",
  ],
  [
    "an upload of less than no bytes",
    { sizeBytes: -1 },
    "upload.sizeBytes: got -1, need 0 or more",
  ],
  [
    "an upload whose size is text",
    { sizeBytes: "1" },
    /^upload.sizeBytes: got "1", need an integer/,
  ],
  [
    "an upload whose size is no whole number",
    { sizeBytes: 1.5 },
    /^upload.sizeBytes: got 1.5, need an integer/,
  ],
  [
    "an upload whose integration is no UUID",
    { integrationId: "x" },
    'upload.integrationId: got "x", need a UUID or an empty text',
  ],
  [
    "a negative thumbnail version",
    { thumbnailGenerationVersion: -1 },
    "upload.thumbnailGenerationVersion: got -1, need 0 or more",
  ],
  [
    "a negative description version",
    { aiDescriptionGenerationVersion: -1 },
    "upload.aiDescriptionGenerationVersion: got -1, need 0 or more",
  ],
  [
    "a negative tags version",
    { aiTagsGenerationVersion: -1 },
    "upload.aiTagsGenerationVersion: got -1, need 0 or more",
  ],
  [
    "a negative virus scan version",
    { virusScanGenerationVersion: -1 },
    "upload.virusScanGenerationVersion: got -1, need 0 or more",
  ],
  ["257 tags", { tags: many(257) }, "upload.tags: got 257 elements, need at most 256"],
  [
    "a tag over 256 bytes",
    { tags: ["a", "t".repeat(257)] },
    "upload.tags[1]: got 257 bytes, need at most 256",
  ],
  [
    "257 meta uploads",
    { metaUploads: many(257).map(() => ({})) },
    "upload.metaUploads: got 257 elements, need at most 256",
  ],
  [
    "257 aliases",
    { aliases: many(257).map(() => ({})) },
    "upload.aliases: got 257 elements, need at most 256",
  ],
  [
    "an alias of another upload",
    { uploadId: "1", aliases: [{}, { uploadId: "2" }] },
    'upload.aliases[1].uploadId: got "2", need "1", the upload\'s own, or nothing',
  ],
  [
    "an alias with `.` in its path",
    { aliases: [{ path: "/./a" }] },
    /^upload.aliases\[0\].path: got "\/\.\/a", need another path/,
  ],
  [
    "a misspelt member",
    { filenam: "a" },
    /^upload.filenam: got an unknown field, need one of uploadId/,
  ],
  [
    "a type that does not exist",
    { type: "UPLOAD_TYPE_POEM" },
    /^upload.type: got "UPLOAD_TYPE_POEM", need one of/,
  ],
  [
    "a date that does not exist",
    { createdAt: "2026-02-30T00:00:00Z" },
    /^upload.createdAt: got .*, need an RFC 3339 timestamp/,
  ],
  [
    "the address at which the service has the content of uploads of sources",
    { contentUrl: `/content/${bucketId}/other` },
    /^upload.contentUrl: got "\/content\/.*", need an address that does not begin with \/content\//,
  ],
  ["a tag with U+0000", { tags: ["\0"] }, /^upload.tags\[0\]: got .*, need text without U\+0000$/],
];

describe("an upload line is wrong", () => {
  for (const [what, members, reason] of wrong) {
    it(`with ${what}`, () => {
      assertRejected(() => readLine({ upload: { ...smallUpload, ...members } }), reason);
    });
  }
});
