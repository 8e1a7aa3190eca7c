import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { type Visibility, visibilityOf } from "../../access/visibility.ts";
import { runOn } from "../../import/merge/statements.ts";
import { searchPattern } from "../../model/name-pattern.ts";
import {
  type Position,
  type SortColumn,
  sortColumns,
  sortOrders,
  type UploadQuery,
} from "../../model/upload-query.ts";
import { queryColumn } from "../../postgres/column-query.ts";
import type { Statement } from "../../postgres/named-parameters.ts";
import type { RawClient } from "../../postgres/raw-client.ts";
import type { ReadColumn } from "../../postgres/statements.ts";
import { buildSkipIndex } from "../../skip-index/write-skip-index.ts";
import { completePage } from "./testing/complete-page.ts";
import { executeText } from "./testing/execute-text.ts";
import {
  expectedParameters,
  isExpected,
  sortColumn,
  uploadOrder,
} from "./testing/expected-uploads.ts";
import { createListDatabase, type ListDatabase } from "./testing/list-database.ts";
import { fillSkewedBucket, skewedBucket } from "./testing/skewed-bucket.ts";

const uploadCount = 60_000;
const pageSize = 50;

/**
 * Buffers of 8 KB that a page may take, found or not, for each upload that it may have. The worst
 * takes 108.
 */
const buffersPerUploadMax = 115;

/** The same with a skip index. The worst takes 33. */
const skippingBuffersMax = 35;

/** Of a page that one walk fills from where it begins. The worst takes 6.4. */
const steadyBuffersMax = 7;

/** Of a page of all that there is from where it begins. */
const wholeBuffersMax = 1.5;

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

const fewDated = ["few days", "few days and a common word"];
const onlyByDate: Readonly<Record<string, Filter>> = {
  "many days and a common word": { ...manyDays, ...search("scan") },
};
const byDate = ["created_at"] as const;

let database: ListDatabase;
let client: RawClient;
before(async () => {
  database = await createListDatabase();
  client = database.client;
  await fillSkewedBucket(client, uploadCount);
});
after(() => database[Symbol.asyncDispose]());

it("no page reads more than a part of the indexes and the table", async (test) => {
  // Index entries tell nothing of a single character. Large buckets have a skip index for it.
  const some = Object.keys(filters).filter((name) => name !== "a common character");
  const shapes = { scopes: Object.keys(scopes), filters: some };
  assertAtMost(test, await readShapes(shapes), buffersPerUploadMax);
});

it("a page of all that there is reads hardly more than itself", async () => {
  const nothingHidden = visibilityOf(["/"], [], undefined, false);
  for (const scope of [scopes.bucket, scopes.folder]) {
    for (const sortBy of sortColumns) {
      for (const sortOrder of sortOrders) {
        const query = { ...noFilter, path: undefined, recursive: false, ...scope };
        const read = await buffersOf({ ...query, sortBy, sortOrder }, nothingHidden);
        assert.equal(read.statements, 1);
        assert.ok(read.buffers < wholeBuffersMax * pageSize, JSON.stringify({ query, ...read }));
      }
    }
  }
});

it("a page from the middle of a list reads little more than itself", async (test) => {
  const scopes = ["bucket", "folder"];
  const large = ["no filter", "many days", "a common tag", "a common word"];
  const ofLarge = await readShapes({ scopes, filters: large, afterOf: middleOf });
  const ofFew = await readShapes({ scopes, filters: fewDated, sorts: byDate, afterOf: middleOf });
  assertAtMost(test, [...ofLarge, ...ofFew], steadyBuffersMax);
});

it("a page from the middle of a list by date reads hardly more than itself", async (test) => {
  const dates = ["no filter", "many days", "few days"];
  const shapes = { scopes: ["bucket", "folder"], filters: dates, sorts: byDate, afterOf: middleOf };
  assertAtMost(test, await readShapes(shapes), wholeBuffersMax);
});

describe("with a skip index", () => {
  before(async () => {
    await client.query("begin");
    await buildSkipIndex(runOn(client), skewedBucket.bucketNumber, uploadCount);
    await client.query("commit");
    await client.query("analyze uploads.skip_index_blocks, uploads.skip_index_bitmaps");
  });

  it("no page of a search reads more than a part of the indexes and the table", async (test) => {
    const searches = Object.keys(filters).filter((name) => filters[name]?.name !== undefined);
    const read = await readShapes({ scopes: ["bucket", "recursive"], filters: searches });
    assertAtMost(test, read, skippingBuffersMax);
  });

  for (const afterOf of [undefined, middleOf]) {
    const where = afterOf ? "from the middle" : "at the beginning";
    it(`a page ${where} of a search by date reads little more than itself`, async (test) => {
      const searches = ["a common word", "an ending", "many days and a common word", ...fewDated];
      const shapes = { scopes: ["bucket"], filters: searches, sorts: byDate, afterOf };
      assertAtMost(test, await readShapes(shapes), steadyBuffersMax);
    });
  }

  it("a page from the middle of a search reads little more than itself", async (test) => {
    const searches = ["a common word", "an ending"];
    const shapes = { scopes: ["bucket"], filters: searches, afterOf: middleOf };
    assertAtMost(test, await readShapes(shapes), steadyBuffersMax);
  });
});

const noFilter = {
  tags: noTags,
  createdFrom: undefined,
  createdTo: undefined,
  name: undefined,
};

interface ShapeRead {
  readonly shape: string;
  readonly buffers: number;
  readonly uploads: number;
}

interface Shapes {
  readonly scopes: readonly string[];
  readonly filters: readonly string[];
  readonly sorts?: readonly SortColumn[];
  /** Where the page begins; without it, at the beginning. */
  readonly afterOf?: ((query: UploadQuery) => Promise<Position>) | undefined;
}

/** What pages take, those that take most first. */
async function readShapes(shapes: Shapes): Promise<ShapeRead[]> {
  const read: ShapeRead[] = [];
  for (const scope of shapes.scopes) {
    for (const filter of shapes.filters) {
      for (const sortBy of shapes.sorts ?? sortColumns) {
        for (const sortOrder of sortOrders) {
          const shape = `${scope}, ${filter}, ${sortBy} ${sortOrder}`;
          const place = { ...noFilter, ...(scopes[scope] ?? assert.fail(scope)) };
          const filtered = filters[filter] ?? onlyByDate[filter] ?? assert.fail(filter);
          const query = { ...place, ...filtered, sortBy, sortOrder };
          const after = await shapes.afterOf?.(query);
          read.push({ shape, ...(await buffersOf(query, someHidden, after)) });
        }
      }
    }
  }
  return read.toSorted((one, other) => other.buffers - one.buffers);
}

/** Where half of the list has been shown. */
async function middleOf(query: UploadQuery): Promise<Position> {
  const list = { ...skewedBucket, lookup, visibility: someHidden, query };
  const listed = `uploads.uploads u where ${isExpected(list)}`;
  const [middle] = await runOn(client)<{ sort_key: string; upload_id: string }>(
    `select ${sortColumn(query)}::text as sort_key, upload_id from ${listed}
    order by ${uploadOrder(query)} limit 1 offset (select count(*) / 2 from ${listed})`,
    expectedParameters(list),
  );
  assert.ok(middle);
  return { sortKey: middle.sort_key, uploadId: middle.upload_id };
}

const lookup = {
  organisationId: "o",
  clientId: "client",
  name: { bucketId: skewedBucket.bucketId },
};
const someHidden = visibilityOf(["/"], [], "client");

/** Of all statements that the page takes. */
async function buffersOf(
  query: UploadQuery,
  visibility: Visibility,
  after?: Position,
): Promise<{ buffers: number; statements: number; uploads: number }> {
  let buffers = 0;
  let statements = 0;
  const readColumn: ReadColumn = async (statement, reader) => {
    statements += 1;
    buffers += await explainedBuffers(statement);
    return queryColumn(client, { text: statement.text, values: statement.values }, reader);
  };
  const list = { ...skewedBucket, lookup, visibility, query };
  const page = await completePage(readColumn, list, { after, pageSize });
  const { length: uploads } = JSON.parse(`[${page.documents}]`);
  return { buffers, statements, uploads };
}

function assertAtMost(
  test: TestContext,
  read: readonly ShapeRead[],
  buffersPerUploadMax: number,
): void {
  for (const each of read.slice(0, 20)) test.diagnostic(JSON.stringify(each));
  const wrong = read.filter(({ buffers }) => buffers > buffersPerUploadMax * pageSize);
  assert.deepEqual(wrong, []);
}

/** What EXPLAIN says of a whole statement, as far as it matters here. */
interface Explained {
  Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number };
}

// Prepared, so that it is planned as for all values.
async function explainedBuffers(statement: Statement): Promise<number> {
  await client.query(`prepare list as ${statement.text}`);
  const execute = executeText("list", statement.values);
  const { rows } = await client.query<{ "QUERY PLAN": [Explained] }>(
    `explain (analyze, buffers, timing off, format json) ${execute}`,
  );
  await client.query("deallocate list");
  const plan = rows[0]?.["QUERY PLAN"][0].Plan;
  return (plan?.["Shared Hit Blocks"] ?? Number.NaN) + (plan?.["Shared Read Blocks"] ?? Number.NaN);
}
