import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type pg from "pg";
import sql, { join } from "sql-template-tag";
import { searchPattern } from "../../domain/name-pattern.ts";
import { sortColumns, sortOrders, type UploadQuery } from "../../domain/upload-query.ts";
import { viewOf } from "../../domain/view.ts";
import { queryColumn } from "../column-query.ts";
import type { ReadColumn } from "../database.ts";
import { listUploadDocuments } from "../list-upload-documents.ts";
import { literalText } from "../literal-text.ts";
import type { Statement } from "../statements.ts";
import { createListDatabase, type ListDatabase } from "./list-database.testing.ts";
import { bucketId, fillSkewedBucket } from "./skewed-bucket.testing.ts";

const pageSize = 50;

/**
 * Buffers of 8 KB that a page may take, found or not, for each upload that it may have. The worst
 * takes 149 in PostgreSQL 18, and 214 in 15.
 */
const buffersPerUploadMax = { since18: 150, before: 230 };

type Filter = Partial<Pick<UploadQuery, "createdFrom" | "createdTo" | "tags" | "name">>;

const scopes: Readonly<Record<string, Pick<UploadQuery, "path" | "recursive">>> = {
  bucket: { path: undefined, recursive: false },
  folder: { path: "/inbox", recursive: false },
  recursive: { path: "/projects/0", recursive: true },
};

const noTags = { allOf: [], anyOf: [], noneOf: [] };
const allOf = (...tags: string[]): Filter => ({ tags: { ...noTags, allOf: tags } });
const search = (text: string): Filter => ({ name: searchPattern(text) });
const created = (from: bigint, to: bigint): Filter => ({
  createdFrom: from * 1_000_000n,
  createdTo: to * 1_000_000n,
});

const manyDays = created(10_000n, 90_000n);
const fewDays = created(50_000n, 50_500n);

/** Each kind of filter so that it holds much and so that it holds little, and pairs of kinds. */
const filters: Readonly<Record<string, Filter>> = {
  "no filter": {},
  "many days": manyDays,
  "few days": fewDays,
  "a common tag": allOf("common"),
  "a rare tag": allOf("rare"),
  "a common character": search("e"),
  "two rare characters": search("zq"),
  "a common word": search("scan"),
  "a rare word": search("quokka"),
  "no such word": search("qqqq"),
  "an ending": search("*.pdf"),
  "many days and a rare tag": { ...manyDays, ...allOf("rare") },
  "few days and a common tag": { ...fewDays, ...allOf("common") },
  "many days and a rare word": { ...manyDays, ...search("quokka") },
  "few days and a common word": { ...fewDays, ...search("scan") },
  "a common tag and a common word": { ...allOf("common"), ...search("scan") },
  "a rare tag and a common word": { ...allOf("rare"), ...search("scan") },
};

let database: ListDatabase;
let client: pg.Client;
before(async () => {
  database = await createListDatabase();
  client = database.client;
  await fillSkewedBucket(client, 60_000);
});
after(() => database[Symbol.asyncDispose]());

it("no page reads more than a part of the indexes and the table", async (test) => {
  const read: { shape: string; buffers: number }[] = [];
  for (const [scopeName, scope] of Object.entries(scopes)) {
    for (const [filterName, filter] of Object.entries(filters)) {
      for (const sortBy of sortColumns) {
        for (const sortOrder of sortOrders) {
          const shape = `${scopeName}, ${filterName}, ${sortBy} ${sortOrder}`;
          const query = { ...noFilter, ...scope, ...filter, sortBy, sortOrder };
          read.push({ shape, ...(await buffersOf(query)) });
        }
      }
    }
  }
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  const isOld = Number(rows[0]?.version) < 180_000;
  const perUploadMax = buffersPerUploadMax[isOld ? "before" : "since18"];
  const worst = read.toSorted((one, other) => other.buffers - one.buffers);
  for (const each of worst.slice(0, 20)) test.diagnostic(JSON.stringify(each));
  const tooMuch = worst.filter(({ buffers }) => buffers > perUploadMax * pageSize);
  assert.deepEqual(tooMuch, []);
});

it("a page of all that there is reads hardly more than itself", async () => {
  const nothingHidden = viewOf(["/"], [], undefined, false);
  for (const scope of [scopes.bucket, scopes.folder]) {
    for (const sortBy of sortColumns) {
      for (const sortOrder of sortOrders) {
        const query = { ...noFilter, path: undefined, recursive: false, ...scope };
        const read = await buffersOf({ ...query, sortBy, sortOrder }, nothingHidden);
        assert.equal(read.statements, 1);
        assert.ok(read.buffers < 1.5 * pageSize, JSON.stringify({ query, ...read }));
      }
    }
  }
});

const noFilter = {
  tags: noTags,
  createdFrom: undefined,
  createdTo: undefined,
  name: undefined,
};

const question = { organisationId: "o", clientId: "client", name: { bucketId } };
const someHidden = viewOf(["/"], [], "client");

/** Of all statements that the page takes. */
async function buffersOf(
  query: UploadQuery,
  view = someHidden,
): Promise<{ buffers: number; statements: number }> {
  let buffers = 0;
  let statements = 0;
  const readColumn: ReadColumn = async (statement) => {
    statements += 1;
    buffers += await explainedBuffers(statement);
    const { text, values } = statement;
    return queryColumn(client, { name: undefined, text, values });
  };
  const list = { bucketId, view, question, query };
  await listUploadDocuments(readColumn, list, { after: undefined, pageSize });
  return { buffers, statements };
}

/** What EXPLAIN says of a whole statement, as far as it matters here. */
interface Explained {
  Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number };
}

// Prepared, so that it is planned as for all values.
async function explainedBuffers(statement: Statement): Promise<number> {
  await client.query(`prepare list as ${statement.text}`);
  const execute = literalText(sql`execute list(${join(statement.values)})`);
  const { rows } = await client.query<{ "QUERY PLAN": [Explained] }>(
    `explain (analyze, buffers, timing off, format json) ${execute}`,
  );
  await client.query("deallocate list");
  const plan = rows[0]?.["QUERY PLAN"][0].Plan;
  return (plan?.["Shared Hit Blocks"] ?? Number.NaN) + (plan?.["Shared Read Blocks"] ?? Number.NaN);
}
