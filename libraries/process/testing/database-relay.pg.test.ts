import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import pg from "pg";
import { createTestDatabase, type DatabaseRelay, relayDatabase } from "./index.ts";
import { withClient } from "./test-database.ts";

async function startRelay(test: TestContext): Promise<{ relay: DatabaseRelay; directUrl: string }> {
  const { databaseUrl, drop } = await createTestDatabase();
  const relay = await relayDatabase(databaseUrl);
  test.after(async () => {
    await relay.cut();
    await drop();
  });
  return { relay, directUrl: databaseUrl };
}

async function connect({ databaseUrl }: DatabaseRelay): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

it("a relay leads to the database until it is cut, and again after it is mended", async (test) => {
  const { relay } = await startRelay(test);
  const client = await connect(relay);
  assert.equal((await client.query("select 1 as one")).rows[0].one, 1);
  await relay.cut();
  await assert.rejects(client.query("select 1"));
  await assert.rejects(connect(relay), { code: "ECONNREFUSED" });
  await relay.mend();
  await (await connect(relay)).end();
});

it("a stalled relay holds every answer back until it is mended", async (test) => {
  const { relay, directUrl } = await startRelay(test);
  const client = await connect(relay);
  relay.stall();
  let answers = 0;
  const answer = client.query("select 'held back' as text").finally(() => answers++);
  const connecting = connect(relay).finally(() => answers++);
  await withClient(directUrl, async (direct) => {
    const answered = `select from pg_stat_activity
      where datname = current_database() and state = 'idle' and query like '%held back%'`;
    while ((await direct.query(answered)).rowCount !== 1);
  });
  assert.equal(answers, 0);
  await relay.mend();
  assert.equal((await answer).rows[0].text, "held back");
  await (await connecting).end();
  await client.end();
});

it("a relay that resets its connections accepts new ones", async (test) => {
  const { relay } = await startRelay(test);
  const client = await connect(relay);
  const broken = new Promise<NodeJS.ErrnoException>((resolve) => client.once("error", resolve));
  relay.reset();
  assert.equal((await broken).code, "ECONNRESET");
  await (await connect(relay)).end();
});
