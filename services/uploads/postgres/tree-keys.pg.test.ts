import assert from "node:assert/strict";
import { it } from "node:test";
import { createTestDatabase } from "@stowage/process/testing";
import fc from "fast-check";
import pg from "pg";
import { treeDepth, treeKey } from "../model/tree-key.ts";
import { compareBytes } from "../model/tree-key-range.ts";
import { schemaDirectory, schemaName } from "./prepare-database.ts";

// Names around the separator, the bytes that keys use, and code points on both sides of surrogates.
const names = fc.oneof(
  fc.constantFrom(
    "a",
    "a b",
    "a-b",
    "a.b",
    "A",
    "\u0001",
    "\u0002",
    "a\u0001",
    "a\u0002b",
    "\u007f",
  ),
  fc
    .array(fc.constantFrom("a", "\u0001", "\u0002", "\u0003", " ", "é", "～", "😀"), {
      minLength: 1,
      maxLength: 4,
    })
    .map((characters) => characters.join("")),
);
const paths = fc.array(names, { maxLength: 4 }).map((segments) => `/${segments.join("/")}`);

it("the database counts the levels of tree keys as the code does", async () => {
  const keys = fc.sample(paths, 2000).map(treeKey);
  const rows = await query<{ depth: number }>(
    `select uploads.tree_depth(key) as depth
     from unnest($1::text[]) with ordinality as keys (key, at) order by at`,
    keys,
  );
  assert.deepEqual(
    rows.map(({ depth }) => depth),
    keys.map(treeDepth),
  );
});

it("the database makes the same tree keys as the code, and orders them alike", async () => {
  const sample = fc.sample(paths, 2000);
  const rows = await query<{ path: string; key: string }>(
    `select path, uploads.tree_key(path) as key from unnest($1::text[]) as path
     order by uploads.tree_key(path) collate "C", path collate "C"`,
    sample,
  );
  assert.deepEqual(
    rows.map((row) => row.key),
    rows.map((row) => treeKey(row.path)),
  );
  const ordered = sample.map(treeKey).toSorted(compareBytes);
  assert.deepEqual(
    rows.map((row) => row.key),
    ordered,
  );
});

it("tree keys are in the order of a walk: a folder, all under it, its next sibling", () => {
  const byKey = (a: string, b: string) => compareBytes(treeKey(a), treeKey(b));
  fc.assert(
    fc.property(fc.uniqueArray(paths, { maxLength: 30 }), (sample) => {
      assert.deepEqual(sample.toSorted(byKey), sample.toSorted(bySegments));
    }),
  );
});

function bySegments(a: string, b: string): number {
  const segmentsOfA = a.split("/").filter(Boolean);
  const segmentsOfB = b.split("/").filter(Boolean);
  for (const [index, segment] of segmentsOfA.entries()) {
    const other = segmentsOfB[index];
    if (other === undefined) return 1;
    const order = compareBytes(segment, other);
    if (order !== 0) return order;
  }
  return segmentsOfA.length - segmentsOfB.length;
}

async function query<Row extends pg.QueryResultRow>(text: string, list: string[]): Promise<Row[]> {
  const database = await createTestDatabase({ schema: schemaName, directory: schemaDirectory });
  const client = new pg.Client(database.databaseUrl);
  try {
    await client.connect();
    return (await client.query<Row>(text, [list])).rows;
  } finally {
    await client.end();
    await database.drop();
  }
}
