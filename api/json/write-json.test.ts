import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create, equals, type JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { LineSchema } from "../generated/stowage/ingest/v1/line_pb.ts";
import {
  type FolderTreeNode,
  FolderTreeNodeSchema,
  ListFolderTreeResponseSchema,
} from "../generated/svc/api/v1/bucket_folders_service_pb.ts";
import {
  ListUploadsRequestSchema,
  ListUploadsResponseSchema,
} from "../generated/svc/api/v1/bucket_uploads_service_pb.ts";
import { AliasSchema, UploadSchema } from "../generated/svc/api/v1/upload_pb.ts";
import { parseJson } from "./parse-json.ts";
import { readJson } from "./read-json.ts";
import { arbitraryMessage } from "./testing/arbitrary-message.ts";
import { contractMessages } from "./testing/contract-messages.ts";
import { writeJson } from "./write-json.ts";

const integerMax = BigInt(Number.MAX_SAFE_INTEGER);

describe("writeJson()", () => {
  it("writes every field of an empty upload but messages and timestamps", () => {
    const json = writeJson(UploadSchema, create(UploadSchema)) as Record<string, JsonValue>;
    const unset = ["integration", "createdAt", "updatedAt", "author", "lastModifiedBy"];
    const written = UploadSchema.fields.map((field) => field.jsonName);
    assert.deepEqual(
      Object.keys(json).sort(),
      written.filter((name) => !unset.includes(name)).sort(),
    );
    assert.deepEqual(
      [json.sizeBytes, json.tags, json.intentMetadata, json.type, json.slug, json.private],
      [0, [], {}, "UPLOAD_TYPE_UNSPECIFIED", "", false],
    );
  });

  it("leaves out members of a oneof and optional fields that are not set", () => {
    assert.deepEqual(writeJson(LineSchema, create(LineSchema)), {});
    const request = writeJson(ListUploadsRequestSchema, create(ListUploadsRequestSchema));
    const ofQuery = { sizeFrom: 0, types: [], extensions: [], includeCount: false };
    assert.deepEqual(request, { cursor: "", recursive: false, pageSize: 0, ...ofQuery });
  });

  it("writes 64-bit integers as numbers, in lists and nested messages too", () => {
    const response = create(ListUploadsResponseSchema, {
      uploads: [
        { sizeBytes: integerMax, aliases: [{ allowedUserIds: [1n, -integerMax] }] },
        { author: { userId: 7n } },
      ],
    });
    const { uploads } = JSON.parse(JSON.stringify(writeJson(ListUploadsResponseSchema, response)));
    assert.equal(uploads[0].sizeBytes, Number.MAX_SAFE_INTEGER);
    assert.deepEqual(uploads[0].aliases[0].allowedUserIds, [1, Number.MIN_SAFE_INTEGER]);
    assert.equal(uploads[1].author.userId, 7);
  });

  it("does not change text in a struct, even if it looks like a number or a field", () => {
    const intentMetadata = { sizeBytes: { sizeBytes: "1", allowedUserIds: ["2"] } };
    const json = writeJson(UploadSchema, create(UploadSchema, { intentMetadata }));
    assert.deepEqual((json as Record<string, JsonValue>).intentMetadata, intentMetadata);
  });

  it("rejects a 64-bit integer beyond the exact range of JSON numbers", () => {
    assert.throws(
      () => writeJson(UploadSchema, create(UploadSchema, { sizeBytes: integerMax + 1n })),
      {
        message:
          "Cannot write svc.api.v1.Upload.size_bytes as JSON: got 9007199254740992, " +
          "need an integer from -9007199254740991 to 9007199254740991",
      },
    );
    const alias = create(AliasSchema, { allowedUserIds: [1n, -integerMax - 1n] });
    assert.throws(() => writeJson(AliasSchema, alias), /allowed_user_ids as JSON/);
  });

  it("writes and reads back a folder tree 512 deep, with an upload at the bottom", () => {
    let node: FolderTreeNode = create(FolderTreeNodeSchema, { uploads: [{ sizeBytes: 3n }] });
    for (let depth = 1; depth < 512; depth++) {
      node = create(FolderTreeNodeSchema, { children: [node] });
    }
    const response = create(ListFolderTreeResponseSchema, { children: [node] });
    const json = writeJson(ListFolderTreeResponseSchema, response);
    assert.ok(JSON.stringify(json).includes('"sizeBytes":3'));
    assert.equal(JSON.stringify(json).split('"children":').length - 1, 513);
    const back = readJson(ListFolderTreeResponseSchema, json);
    assert.deepEqual(writeJson(ListFolderTreeResponseSchema, back), json);
  });
});

describe("writeJson() over random messages", () => {
  for (const schema of contractMessages) {
    it(`writes ${schema.typeName} as text that reads back as the same message`, () => {
      fc.assert(
        fc.property(arbitraryMessage(schema), (message) => {
          const json = writeJson(schema, message);
          const back = readJson(schema, parseJson(JSON.stringify(json)));
          assert.ok(equals(schema, back, message));
          assert.deepEqual(writeJson(schema, back), json);
        }),
      );
    });
  }
});
