import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { UploadSchema } from "../generated/svc/api/v1/upload_pb.ts";
import { arbitraryMessage } from "./testing/arbitrary-message.ts";
import { contractMessages } from "./testing/contract-messages.ts";
import { writeBinary } from "./write-binary.ts";
import { writeJson } from "./write-json.ts";

describe("writeBinary()", () => {
  for (const schema of contractMessages) {
    it(`writes the bytes of the framework for random ${schema.name} messages`, () => {
      fc.assert(
        fc.property(arbitraryMessage(schema), (message) => {
          const text = JSON.stringify(writeJson(schema, message));
          const json: JsonValue = JSON.parse(text);
          const expected = toBinary(schema, fromJson(schema, json));
          assert.deepEqual(Buffer.from(writeBinary(schema, json, 16)), Buffer.from(expected));
          const { length } = Buffer.from(text);
          assert.deepEqual(Buffer.from(writeBinary(schema, json, length)), Buffer.from(expected));
        }),
      );
    });
  }

  it("writes text and messages of every length around the limits of a length's bytes", () => {
    for (const length of [0, 42, 43, 126, 127, 128, 129, 5460, 16_383, 16_384, 2_097_152]) {
      for (const character of ["a", "é", "😀"]) {
        const json = { slug: character.repeat(length), aliases: [{ slug: "b".repeat(length) }] };
        const expected = toBinary(UploadSchema, fromJson(UploadSchema, json));
        assert.ok(Buffer.from(writeBinary(UploadSchema, json)).equals(expected), `${length}`);
      }
    }
  });

  it("rejects unknown names of an enumeration, and timestamps that are not in UTC", () => {
    assert.throws(() => writeBinary(UploadSchema, { type: "UPLOAD_TYPE_NONE" }), /Cannot encode/);
    const createdAt = "2026-01-01T00:00:00+01:00";
    assert.throws(() => writeBinary(UploadSchema, { createdAt }), /Cannot encode a timestamp/);
  });
});
