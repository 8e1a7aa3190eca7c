import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import {
  ListFolderTreeRequestSchema,
  ListFolderTreeResponseSchema,
} from "../generated/svc/api/v1/bucket_folders_service_pb.ts";
import {
  ListUploadsRequestSchema,
  ListUploadsResponseSchema,
} from "../generated/svc/api/v1/bucket_uploads_service_pb.ts";
import { readJson } from "../json/read-json.ts";
import { arbitraryMessage } from "../json/testing/arbitrary-message.ts";
import { writeJson } from "../json/write-json.ts";

const document = JSON.parse(await readFile(new URL("../openapi.json", import.meta.url), "utf8"));
const schemas: Record<string, JsonObject> = document.components.schemas;

// Answers may grow, so their schemas allow properties they do not name. Here they may not: a field
// that the document forgot would go unnoticed.
const closedSchemas = Object.fromEntries(
  Object.entries(schemas).map(([name, schema]) => [
    name,
    "properties" in schema ? { ...schema, additionalProperties: false } : schema,
  ]),
);
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema({ components: { schemas: closedSchemas } }, "openapi.json");

const requestBodies: { schema: DescMessage; json: JsonValue; accepted: boolean }[] = [
  { schema: ListUploadsRequestSchema, json: {}, accepted: true },
  { schema: ListUploadsRequestSchema, json: { path: null, bucketRef: null }, accepted: true },
  { schema: ListUploadsRequestSchema, json: { dateFrom: "2026-01-31T00:00:00Z" }, accepted: true },
  { schema: ListUploadsRequestSchema, json: { bucketRef: { hostname: "a" } }, accepted: true },
  {
    schema: ListUploadsRequestSchema,
    json: { bucketRef: { bucketId: null, hostname: "a" } },
    accepted: true,
  },
  {
    schema: ListUploadsRequestSchema,
    json: { bucketRef: { bucketId: "a", hostname: "a" } },
    accepted: false,
  },
  { schema: ListUploadsRequestSchema, json: { bucketRef: { hostname: 1 } }, accepted: false },
  { schema: ListUploadsRequestSchema, json: { page_size: 1 }, accepted: false },
  { schema: ListUploadsRequestSchema, json: { pageSize: "1" }, accepted: false },
  { schema: ListUploadsRequestSchema, json: { pageSize: 2 ** 31 }, accepted: false },
  { schema: ListUploadsRequestSchema, json: { tags: { anyOf: [null] } }, accepted: false },
  { schema: ListUploadsRequestSchema, json: { tags: { anyOff: [] } }, accepted: false },
  { schema: ListUploadsRequestSchema, json: { dateFrom: "yesterday" }, accepted: false },
  { schema: ListUploadsRequestSchema, json: [], accepted: false },
  {
    schema: ListFolderTreeRequestSchema,
    json: { uploadFilter: { glob: "*.pdf", caseSensitive: true } },
    accepted: true,
  },
  {
    schema: ListFolderTreeRequestSchema,
    json: { pathFilter: { glob: "a", equals: "b" } },
    accepted: false,
  },
];

describe("openapi.json", () => {
  it("is valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(structuredClone(document));
    assert.deepEqual(result.errors ?? [], []);
    assert.equal(result.valid, true);
    assert.equal(document.openapi, "3.1.0");
  });

  it("has all operations, and nothing of the import format", () => {
    assert.deepEqual(Object.keys(document.paths), [
      "/stowage.v1.BucketsService/ListBuckets",
      "/stowage.v1.ContentService/CreateContentLink",
      "/svc.api.v1.BucketFoldersService/ListFolderTree",
      "/stowage.v1.FoldersService/FindFolders",
      "/stowage.v1.UploadsService/GetUpload",
      "/svc.api.v1.BucketUploadsService/ListUploads",
    ]);
    assert.doesNotMatch(JSON.stringify(document), /ingest/);
  });

  it("has the HTTP statuses and codes of errors.md that an operation can answer with", async () => {
    const errors = await readFile(new URL("../errors.md", import.meta.url), "utf8");
    const rows = errors.matchAll(/^\| `(\w+)` *\| `(\w+)` *\| (\d+) /gm);
    // Two answer requests that call no operation; the caller of the third has disconnected. The
    // others answer requests for content, which are no operation.
    const calls = ["METHOD_UNKNOWN", "HTTP_METHOD_NOT_ALLOWED", "CANCELLED"];
    const elsewhere = [...calls, "CONTENT_ARCHIVED", "CONTENT_CHANGED"];
    const documented = Array.from(rows)
      .filter(([, reason = ""]) => !elsewhere.includes(reason))
      .map(([, , code, status]) => `${status} ${code}`);
    for (const { post } of Object.values(document.paths) as { post: JsonObject }[]) {
      const responses = Object.entries(post.responses as Record<string, JsonObject>);
      const described = responses
        .filter(([status]) => status !== "200")
        .map(([status, { description }]) => `${status} ${`${description}`.split("`")[1]}`);
      assert.deepEqual(new Set(described), new Set(documented));
    }
  });

  it("describes every property", () => {
    for (const [name, { properties = {} }] of Object.entries(schemas)) {
      for (const [property, schema] of Object.entries(properties as Record<string, JsonObject>)) {
        assert.ok(schema.description, `${name}.${property}`);
      }
    }
  });

  it("requires every field of an answer but messages and timestamps", () => {
    const { properties, required } = schemas.Upload as Record<string, JsonObject>;
    const optional = Object.keys(properties as JsonObject).filter(
      (name) => !(required as unknown as string[]).includes(name),
    );
    assert.deepEqual(optional, [
      "integration",
      "createdAt",
      "updatedAt",
      "author",
      "lastModifiedBy",
    ]);
  });

  for (const { schema, json, accepted } of requestBodies) {
    it(`${accepted ? "accepts" : "refuses"} ${schema.name} ${JSON.stringify(json)}`, () => {
      assert.equal(isValid(schema, json), accepted);
      if (accepted) readJson(schema, json);
      else assert.throws(() => readJson(schema, json), { name: "JsonFieldError" });
    });
  }

  for (const schema of [ListUploadsResponseSchema, ListFolderTreeResponseSchema]) {
    it(`fits every ${schema.name} that the service can write`, () => {
      fc.assert(
        fc.property(arbitraryMessage(schema), (message) => {
          const json = writeJson(schema, message);
          assert.ok(isValid(schema, json), JSON.stringify(ajv.errors));
        }),
      );
    });
  }
});

function isValid(schema: DescMessage, json: JsonValue): boolean {
  return ajv.validate({ $ref: `openapi.json#/components/schemas/${schema.name}` }, json);
}
