import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import { LineSchema } from "../../generated/stowage/ingest/v1/line_pb.ts";
import { FolderTreeNodeSchema } from "../../generated/svc/api/v1/bucket_folders_service_pb.ts";
import { ListUploadsRequestSchema } from "../../generated/svc/api/v1/bucket_uploads_service_pb.ts";
import { AliasSchema, UploadSchema } from "../../generated/svc/api/v1/upload_pb.ts";

/** JSON that `readJson` rejects, with the one violation that it reports. */
interface InvalidDocument {
  schema: DescMessage;
  json: JsonValue;
  field: string;
  description: string | RegExp;
}

const int32 = "an integer from -2147483648 to 2147483647";
const int64 = "an integer from -9007199254740991 to 9007199254740991";
const request = ListUploadsRequestSchema;
const upload = UploadSchema;

/** Each has a name that describes the error. */
export const invalidDocuments: Record<string, InvalidDocument> = {
  "an unknown member": {
    schema: request,
    json: { tags: { anyOff: ["a"] } },
    field: "tags.anyOff",
    description: "got an unknown field, need one of allOf, anyOf, noneOf",
  },
  "a protobuf name instead of the JSON name": {
    schema: request,
    json: { page_size: 10 },
    field: "page_size",
    description: /^got an unknown field, need one of bucketRef, .*includeCount$/,
  },
  "a member called __proto__": {
    schema: request,
    json: JSON.parse('{"__proto__": {"path": "/"}}'),
    field: "__proto__",
    description: /^got an unknown field/,
  },
  "an unknown member whose name is not a plain word": {
    schema: request,
    json: { [`a "${"b".repeat(100)}`]: 1 },
    field: `["a \\"${"b".repeat(61)}"…]`,
    description: /^got an unknown field/,
  },
  "a number for text": {
    schema: request,
    json: { path: 1 },
    field: "path",
    description: "got 1, need a string",
  },
  "an object for text": {
    schema: request,
    json: { search: {} },
    field: "search",
    description: "got an object, need a string",
  },
  "text for an integer": {
    schema: request,
    json: { pageSize: "1" },
    field: "pageSize",
    description: `got "1", need ${int32}`,
  },
  "an integer beyond 32 bits": {
    schema: request,
    json: { pageSize: 2 ** 31 },
    field: "pageSize",
    description: `got 2147483648, need ${int32}`,
  },
  "a fraction for an integer": {
    schema: request,
    json: { year: 2026.5 },
    field: "year",
    description: `got 2026.5, need ${int32}`,
  },
  "text for a 64-bit integer": {
    schema: upload,
    json: { sizeBytes: "1" },
    field: "sizeBytes",
    description: `got "1", need ${int64}`,
  },
  "a 64-bit integer beyond 2^53-1": {
    schema: upload,
    json: { sizeBytes: 2 ** 53 },
    field: "sizeBytes",
    description: `got 9007199254740992, need ${int64}`,
  },
  "a 64-bit integer in a list beyond 2^53-1": {
    schema: AliasSchema,
    json: { allowedUserIds: [1, 1e300] },
    field: "allowedUserIds[1]",
    description: `got 1e+300, need ${int64}`,
  },
  "0 or 1 for a boolean": {
    schema: request,
    json: { recursive: 1 },
    field: "recursive",
    description: "got 1, need true or false",
  },
  "the number of an enumeration member": {
    schema: upload,
    json: { type: 1 },
    field: "type",
    description: /^got 1, need one of UPLOAD_TYPE_UNSPECIFIED, UPLOAD_TYPE_IMAGE, /,
  },
  "an unknown enumeration member": {
    schema: upload,
    json: { metaUploads: [{ type: { type: "THUMBNAIL" } }] },
    field: "metaUploads[0].type.type",
    description: /^got "THUMBNAIL", need one of MetaUploadType_UNSPECIFIED, /,
  },
  "text for an object": {
    schema: request,
    json: { bucketRef: "photos.example.com" },
    field: "bucketRef",
    description: 'got "photos.example.com", need an object',
  },
  "an array for an object": {
    schema: request,
    json: { tags: [] },
    field: "tags",
    description: "got an array, need an object",
  },
  "an object for an array": {
    schema: request,
    json: { tags: { allOf: {} } },
    field: "tags.allOf",
    description: "got an object, need an array",
  },
  "null in an array": {
    schema: request,
    json: { tags: { allOf: ["a", "b", null] } },
    field: "tags.allOf[2]",
    description: "got null, need a string",
  },
  "null in a map": {
    schema: LineSchema,
    json: { upload: { intentMetadata: { k: null } } },
    field: 'upload.intentMetadata["k"]',
    description: "got null, need an object",
  },
  "an array for a map": {
    schema: upload,
    json: { intentMetadata: [] },
    field: "intentMetadata",
    description: "got an array, need an object",
  },
  "two members of a oneof": {
    schema: request,
    json: { bucketRef: { bucketId: "a", hostname: "b" } },
    field: "bucketRef",
    description: "got bucketId and hostname, need only one of bucketId, hostname",
  },
  "half a surrogate pair": {
    schema: request,
    json: { search: "a\ud800" },
    field: "search",
    description: 'got "a\\ud800", need well-formed Unicode: surrogates only in pairs',
  },
  "U+0000": {
    schema: request,
    json: { search: "a\0" },
    field: "search",
    description: 'got "a\\u0000", need text without U+0000',
  },
  "U+0000 in a map key": {
    schema: upload,
    json: { intentMetadata: { "\0": {} } },
    field: 'intentMetadata["\\u0000"]',
    description: 'got "\\u0000", need text without U+0000',
  },
  "U+0000 deep in a struct": {
    schema: upload,
    json: { intentMetadata: { k: { a: [{ b: "\0" }] } } },
    field: 'intentMetadata["k"]["a"][0]["b"]',
    description: 'got "\\u0000", need text without U+0000',
  },
  "half a surrogate pair in a struct's key": {
    schema: upload,
    json: { intentMetadata: { k: { "\udc00": 1 } } },
    field: 'intentMetadata["k"]["\\udc00"]',
    description: /need well-formed Unicode/,
  },
  "a number in a struct beyond the range of a double": {
    schema: upload,
    json: JSON.parse('{"intentMetadata": {"k": {"a": 1e999}}}'),
    field: 'intentMetadata["k"]["a"]',
    description: "got Infinity, need a number within the range of a double",
  },
  "a struct nested more than 64 deep": {
    schema: upload,
    json: { intentMetadata: { k: { a: nestedArrays(64) } } },
    field: `intentMetadata["k"]["a"]${"[0]".repeat(63)}`,
    description: "got deeper nesting, need at most 64 objects and arrays in one another",
  },
  "messages nested more than 600 deep": {
    schema: FolderTreeNodeSchema,
    json: nestedNodes(601),
    field: Array(600).fill("children[0]").join("."),
    description: "got deeper nesting, need at most 600 messages in one another",
  },
  "long text for something else": {
    schema: request,
    json: { pageSize: "😀".repeat(1000) },
    field: "pageSize",
    description: `got "${"😀".repeat(64)}"…, need ${int32}`,
  },
  "a document that is not an object": {
    schema: request,
    json: null,
    field: "",
    description: "got null, need an object",
  },
};

/** Nested arrays with 0 in the innermost. */
export function nestedArrays(levels: number): JsonValue {
  return levels === 0 ? 0 : [nestedArrays(levels - 1)];
}

export function nestedNodes(levels: number): JsonValue {
  return levels === 1 ? {} : { children: [nestedNodes(levels - 1)] };
}
