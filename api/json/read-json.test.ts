import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type DescMessage, equals, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { StringValueSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import {
  FolderTreeNodeSchema,
  ListFolderTreeRequestSchema,
} from "../generated/svc/api/v1/bucket_folders_service_pb.ts";
import { ListUploadsRequestSchema } from "../generated/svc/api/v1/bucket_uploads_service_pb.ts";
import { UploadSchema } from "../generated/svc/api/v1/upload_pb.ts";
import { JsonFieldError } from "./field-violations.ts";
import { readJson } from "./read-json.ts";
import { arbitraryMessage } from "./testing/arbitrary-message.ts";
import { contractMessages } from "./testing/contract-messages.ts";
import { invalidDocuments, nestedArrays, nestedNodes } from "./testing/invalid-documents.ts";
import { writeJson } from "./write-json.ts";

const int32 = "an integer from -2147483648 to 2147483647";
const request = ListUploadsRequestSchema;
const upload = UploadSchema;

describe("readJson()", () => {
  for (const [what, { schema, json, field, description }] of Object.entries(invalidDocuments)) {
    it(`rejects ${what}`, () => {
      const [violation, ...others] = violationsOf(schema, json);
      assert.equal(violation?.field, field);
      if (description instanceof RegExp) assert.match(violation.description, description);
      else assert.equal(violation.description, description);
      assert.deepEqual(others, []);
    });
  }

  it("treats null as a member that was left out, in a oneof too", () => {
    const json = {
      bucketRef: { bucketId: null, hostname: "a" },
      path: null,
      tags: null,
      year: null,
    };
    const message = readJson(request, json);
    assert.deepEqual(message.bucketRef?.reference, { case: "hostname", value: "a" });
    assert.deepEqual(readJson(request, { bucketRef: { hostname: "a" } }), message);
  });

  it("distinguishes optional members that were left out from empty ones", () => {
    assert.equal(readJson(request, {}).path, undefined);
    assert.equal(readJson(request, { path: "" }).path, "");
  });

  it("accepts every integer form of JSON, and reads -0 as 0", () => {
    const message = readJson(upload, JSON.parse('{"sizeBytes": 1.5e3, "order": -0}'));
    assert.equal(message.sizeBytes, 1500n);
    assert.ok(Object.is(message.order, 0));
  });

  it("keeps the map key __proto__ as a key", () => {
    const json = JSON.parse('{"intentMetadata": {"__proto__": {"__proto__": 1}}}');
    const message = readJson(upload, json);
    assert.deepEqual(Object.keys(message.intentMetadata), ["__proto__"]);
    assert.deepEqual(writeJson(upload, message), writeJson(upload, fromJson(upload, json)));
    assert.equal(Object.getPrototypeOf(message.intentMetadata), Object.prototype);
  });

  it("reads a struct nested 64 deep and messages nested 600 deep", () => {
    readJson(upload, { intentMetadata: { k: { a: nestedArrays(63) } } });
    readJson(FolderTreeNodeSchema, nestedNodes(600));
  });

  it("reports every violation in order, at most 20", () => {
    const json = { path: 1, tags: { allOf: [1, "a", 2] }, nonsense: true };
    assert.deepEqual(
      violationsOf(request, json).map(({ field }) => field),
      ["path", "tags.allOf[0]", "tags.allOf[2]", "nonsense"],
    );
    assert.equal(violationsOf(request, { tags: { allOf: Array(1000).fill(1) } }).length, 20);
  });

  it("joins the violations in the error's message", () => {
    const read = () => readJson(ListFolderTreeRequestSchema, { maxDepth: true, onlyMatches: 0 });
    assert.throws(read, {
      name: "JsonFieldError",
      message: `maxDepth: got true, need ${int32}; onlyMatches: got 0, need true or false`,
    });
  });

  it("fails on a schema with a type that the contract does not use", () => {
    assert.throws(() => readJson(StringValueSchema, "a"), {
      message: "Cannot read google.protobuf.StringValue from JSON: got a type without a reader",
    });
  });
});

describe("readJson() over random messages", () => {
  for (const schema of contractMessages) {
    it(`reads ${schema.typeName} as protobuf JSON does`, () => {
      const spoilt = fc
        .tuple(arbitraryMessage(schema), fc.infiniteStream(fc.integer({ min: 0, max: 99 })))
        .map(([message, choices]) => spoil(writeJson(schema, message), choices));
      fc.assert(
        fc.property(spoilt, (json) => {
          if (!isAccepted(schema, json)) return;
          assert.ok(equals(schema, readJson(schema, json), fromJson(schema, json)));
        }),
      );
    });
  }
});

/** The same JSON in which about every twentieth value is another one, often of another type. */
function spoil(json: JsonValue, choices: Iterator<number, unknown>): JsonValue {
  const others: JsonValue[] = [null, "", "1", 1, 0, -1, 0.5, true, [], {}, 2 ** 31, 2 ** 53];
  const choice = choices.next().value as number;
  if (choice < 5) return others[(choices.next().value as number) % others.length] as JsonValue;
  if (Array.isArray(json)) return json.map((element) => spoil(element, choices));
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, spoil(value, choices)]),
  );
}

function isAccepted(schema: DescMessage, json: JsonValue): boolean {
  try {
    readJson(schema, json);
    return true;
  } catch (error) {
    if (error instanceof JsonFieldError) return false;
    throw error;
  }
}

function violationsOf(schema: DescMessage, json: JsonValue) {
  try {
    readJson(schema, json);
  } catch (error) {
    if (error instanceof JsonFieldError) return error.violations;
    throw error;
  }
  return [];
}
