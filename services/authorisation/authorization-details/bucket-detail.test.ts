import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { z } from "zod";
import { bucketDetailSchema } from "./bucket-detail.ts";
import { readDetails } from "./read-details.ts";

const schemaFile = new URL("bucket-detail.schema.json", import.meta.url);
const read = { type: "bucket", actions: ["read"] };
const identifier = "3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11";

it("the JSON Schema says what the code checks (UPDATE_SCHEMA=1 writes it)", async () => {
  const text = `${JSON.stringify(z.toJSONSchema(bucketDetailSchema, { io: "input" }), null, 2)}\n`;
  if (process.env.UPDATE_SCHEMA) await writeFile(schemaFile, text);
  assert.deepEqual(JSON.parse(await readFile(schemaFile, "utf8")), JSON.parse(text));
});

describe("authorization_details are read", () => {
  const good: object[][] = [
    [read],
    [{ ...read, identifier }],
    [{ ...read, locations: ["/"] }],
    [{ ...read, identifier, locations: ["/a", "/a b/c.d/.e/...", "/Ärzte/👩‍⚕️", "/new\nline"] }],
    [read, { ...read, locations: [`/${"x".repeat(1023)}`] }],
    [{ ...read, locations: ["/x".repeat(512)] }],
  ];
  for (const details of good) {
    const text = JSON.stringify(details);
    it(text.slice(0, 80), () => assert.deepEqual(readDetails(text), details));
  }

  it("with the bucket's ID in lower case", () => {
    const details = readDetails(
      JSON.stringify([{ ...read, identifier: identifier.toUpperCase() }]),
    );
    assert.deepEqual(details, [{ ...read, identifier }]);
  });

  it("as no limit when there are none", () => {
    assert.equal(readDetails(undefined), undefined);
    assert.equal(readDetails("[]"), undefined);
  });
});

describe("authorization_details are refused", () => {
  const locations = (...paths: unknown[]) => JSON.stringify([{ ...read, locations: paths }]);
  const bad = [
    ["", /not JSON/],
    ["{", /not JSON/],
    ["null", /JSON array/],
    ['"bucket"', /JSON array/],
    [JSON.stringify(read), /JSON array/],
    ["[null]", / 0: /],
    ["[[]]", / 0: /],
    ['[{"actions":["read"]}]', / 0.type: /],
    ['[{"type":"mailbox","actions":["read"]}]', / 0.type: /],
    ['[{"type":"bucket"}]', / 0.actions: /],
    ['[{"type":"bucket","actions":[]}]', / 0.actions: /],
    ['[{"type":"bucket","actions":"read"}]', / 0.actions: /],
    ['[{"type":"bucket","actions":["write"]}]', / 0.actions.0: /],
    ['[{"type":"bucket","actions":["read","read"]}]', / 0.actions: /],
    [JSON.stringify([read, { ...read, datatypes: ["image"] }]), / 1: .*"datatypes"/],
    [JSON.stringify([{ ...read, identifier: "photos" }]), / 0.identifier: of a wrong form/],
    [JSON.stringify([{ ...read, identifier: null }]), / 0.identifier: /],
    ['[{"type":"bucket","actions":["read"],"__proto__":{"locations":["/"]}}]', / 0: /],
    [locations(), / 0.locations: /],
    [JSON.stringify([{ ...read, locations: "/a" }]), / 0.locations: /],
    ...["", "a", "/a/", "//", "/a//b", "/./a", "/a/..", "/\0", "/\ud800"].map(
      (path) => [locations("/ok", path), / 0.locations.1: of a wrong form/] as const,
    ),
    [locations("/x".repeat(513)), / 0.locations.0: .*1024/],
    [locations(`/${"x".repeat(1024)}`), / 0.locations.0: /],
    [locations(`/${"é".repeat(512)}`), / 0.locations.0: .*1024 bytes/],
    [locations(7), / 0.locations.0: /],
    [locations(...Array(33).fill("/a")), / 0.locations: /],
    [JSON.stringify(Array(17).fill(read)), /17 entries/],
    [locations(..."abcd".split("").map((name) => `/${name.repeat(800)}`)), /at most 3072/],
  ] as const;
  for (const [text, message] of bad) {
    it(JSON.stringify(text).slice(0, 80), () => {
      assert.throws(
        () => readDetails(text),
        (error: { error: string; error_description: string }) => {
          assert.equal(error.error, "invalid_authorization_details");
          assert.match(error.error_description, message);
          return true;
        },
      );
    });
  }
});
