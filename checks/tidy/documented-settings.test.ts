import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { DescMessage } from "@bufbuild/protobuf";
import { LineSchema } from "@stowage/api/stowage/ingest/v1/line_pb";
import { documentPath, settingsTables, withTables } from "./documented-settings.ts";
import { root } from "./repository.ts";

const file = join(root, documentPath);

describe(documentPath, () => {
  it("lists the settings of every program (UPDATE_SETTINGS=1 rewrites the lists)", async () => {
    const document = await readFile(file, "utf8");
    const right = withTables(document, await settingsTables());
    if (process.env.UPDATE_SETTINGS === "1") await writeFile(file, right);
    else assert.equal(document, right);
  });
});

describe("docs/importing.md", () => {
  it("names every member of an NDJSON line", async () => {
    const document = await readFile(join(root, "docs", "importing.md"), "utf8");
    const missing = [...membersOf(LineSchema)].filter((name) => !document.includes(`\`${name}\``));
    assert.deepEqual(missing, []);
  });
});

/** The JSON names of a message's fields and of nested messages, except those of google.protobuf. */
function membersOf(schema: DescMessage, names = new Set<string>()): Set<string> {
  if (schema.typeName.startsWith("google.protobuf.")) return names;
  for (const field of schema.fields) {
    const isKnown = names.has(field.jsonName);
    names.add(field.jsonName);
    if (!isKnown && field.message !== undefined) membersOf(field.message, names);
  }
  return names;
}
