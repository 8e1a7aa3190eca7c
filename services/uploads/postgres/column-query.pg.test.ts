import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import { queryColumn } from "./column-query.ts";
import { schemaDirectory, schemaName } from "./prepare-database.ts";
import { RawClient } from "./raw-client.ts";

/** With them a row comes in many pieces, or many rows at once. */
const lengths = [0, 1, 10, 3_000_000, 20, ...Array<number>(2000).fill(100)];
const manyTexts = "select repeat('ä', n) from unnest($1::int[]) as lengths (n)";

describe("queryColumn()", () => {
  let database: TestDatabase;
  let client: RawClient;
  before(async () => {
    database = await createTestDatabase({ schema: schemaName, directory: schemaDirectory });
    client = new RawClient({ connectionString: database.databaseUrl });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  const texts = async (text: string, values: unknown[] = [], name?: string) => {
    const column = await queryColumn(client, { name, text, values });
    return Array.from({ length: column.length }, (_, at) => column.at(at)?.toString() ?? null);
  };

  it("gives texts of any length as they are", async () => {
    const expected = lengths.map((length) => "ä".repeat(length));
    assert.deepEqual(await texts(manyTexts, [lengths]), expected);
  });

  it("gives null for null, and nothing for no rows", async () => {
    const given = await texts("select * from (values (null), (''), ('a')) as t (c)");
    assert.deepEqual(given, [null, "", "a"]);
    assert.deepEqual(await texts("select 'a' where false"), []);
  });

  it("takes parameters of all kinds that statements have", async () => {
    const values = ["a", 5, null, ["x", 'y"'], true];
    const text = "select concat_ws('/', $1::text, $2::int, $3::text, $4::text[], $5::boolean)";
    assert.deepEqual(await texts(text, values), ['a/5/{x,"y\\""}/t']);
  });

  it("has a named statement parsed once", async () => {
    for (const value of ["a", "b"]) {
      assert.deepEqual(await texts("select $1::text", [value], "echo"), [value]);
    }
    const { rows } = await client.query("select name from pg_prepared_statements");
    assert.deepEqual(rows, [{ name: "echo" }]);
  });

  it("passes on an error that comes amid the rows, and others find their rows", async () => {
    const failing = texts("select (100 / (500 - n))::text from generate_series(1, 1000) n");
    await assert.rejects(failing, { code: "22012" });
    const { rows } = await client.query("select 1 as n");
    assert.deepEqual(rows, [{ n: 1 }]);
    assert.deepEqual(await texts("select 'a'"), ["a"]);
  });

  it("rejects when its time is over, and disturbs no later statement before", async () => {
    const options = {
      connectionString: database.databaseUrl,
      query_timeout: 500,
      statement_timeout: 700,
    };
    const limited = new RawClient(options);
    limited.on("error", () => {});
    await limited.connect();
    const sleep = (seconds: number) =>
      queryColumn(limited, { text: "select pg_sleep($1)::text", values: [seconds] });
    for (const seconds of [0, 0.3, 0.3]) assert.equal((await sleep(seconds)).length, 1);
    await assert.rejects(sleep(60), { message: "Query read timeout" });
    await limited.end();
    const running =
      "select from pg_stat_activity where query like '%pg_sleep($1)%' and pid <> pg_backend_pid()";
    while ((await client.query(running)).rowCount !== 0);
  });

  it("rejects when the connection breaks", async () => {
    const broken = new RawClient({ connectionString: database.databaseUrl });
    broken.on("error", () => {});
    await broken.connect();
    const { rows } = await broken.query<{ pid: number }>("select pg_backend_pid() as pid");
    const text = "select pg_sleep(60)::text";
    const rejected = assert.rejects(queryColumn(broken, { name: undefined, text, values: [] }));
    await client.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
    await rejected;
  });
});
