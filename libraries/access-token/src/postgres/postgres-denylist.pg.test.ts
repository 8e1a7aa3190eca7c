import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import pg from "pg";
import { openDenylistDatabase } from "../../testing/denylist-database.ts";
import {
  applicationName,
  type DenylistServer,
  startDenylistServer,
} from "../../testing/denylist-servers.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { nowSeconds } from "../../testing/tokens.ts";
import type { AccessToken } from "../access-token.ts";
import type { DenylistEntry } from "../denylist/denylist.ts";
import { denylistPageEntries } from "../limits.ts";
import type { DenylistEvent } from "./denylist-options.ts";
import { addDenylistEntry, type PostgresQueryable, prepareDenylist } from "./denylist-table.ts";
import { createPostgresDenylist } from "./postgres-denylist.ts";

const open = (test: TestContext) => openDenylistDatabase(test, prepareDenylist);

/** How long until the server refuses the token as revoked. */
async function untilRevoked(server: DenylistServer, claims: object): Promise<number> {
  const beganAtMs = performance.now();
  while ((await server.reasonFor({ ...claims })) !== "TOKEN_REVOKED");
  return performance.now() - beganAtMs;
}

describe("servers that share a denylist", () => {
  const entries: [entry: DenylistEntry, refused: object, accepted: object][] = [
    [{ kind: "jti", value: "t1" }, { jti: "t1" }, { jti: "t2" }],
    [{ kind: "sid", value: "s1" }, { sid: "s1" }, { sid: "s2" }],
    [
      { kind: "sub", value: "u1", issuedBefore: nowSeconds },
      { sub: "u1", iat: nowSeconds - 1 },
      { sub: "u1", iat: nowSeconds },
    ],
    [
      { kind: "client", value: "c1", subject: "u2", issuedBefore: nowSeconds },
      { client_id: "c1", sub: "u2", iat: nowSeconds - 1 },
      { client_id: "c1", sub: "u3", iat: nowSeconds - 1 },
    ],
    [{ kind: "kid", value: "key-1" }, { jti: "t9" }, {}],
  ];
  it("refuse within 2 s a token that one of them revoked", async (test) => {
    const database = await open(test);
    await using one = await startDenylistServer(database);
    await using other = await startDenylistServer(database);
    for (const [entry, refused, accepted] of entries) {
      for (const server of [one, other]) {
        assert.equal(await server.reasonFor({ ...refused }), "accepted");
      }
      await one.denylist.add(entry);
      assert.equal(await one.reasonFor({ ...refused }), "TOKEN_REVOKED");
      assert((await untilRevoked(other, refused)) < 2_000);
      if (entry.kind === "kid") continue;
      for (const server of [one, other]) {
        assert.equal(await server.reasonFor({ ...accepted }), "accepted");
      }
    }
  });

  it("miss no entry that commits long after a later one", async (test) => {
    const database = await open(test);
    await using server = await startDenylistServer(database);
    const slow = await database.pool.connect();
    await slow.query("begin");
    await addDenylistEntry(slow, { kind: "jti", value: "slow" });
    await addDenylistEntry(database.pool, { kind: "jti", value: "quick" });
    await server.reads(3);
    assert.equal(await server.reasonFor({ jti: "quick" }), "TOKEN_REVOKED");
    assert.equal(await server.reasonFor({ jti: "slow" }), "accepted");
    await slow.query("commit");
    slow.release();
    assert((await untilRevoked(server, { jti: "slow" })) < 2_000);
  });

  it("lose no entry when their connections are killed again and again", async (test) => {
    const database = await open(test);
    await using server = await startDenylistServer(database);
    const values = Array.from({ length: 8 }, (_, i) => `v${i}`);
    for (const [i, value] of values.entries()) {
      await addDenylistEntry(database.pool, { kind: "jti", value });
      if (i % 2 === 1) await database.query(killAll, [applicationName]);
    }
    await server.reads(1);
    for (const jti of values) assert.equal(await server.reasonFor({ jti }), "TOKEN_REVOKED");
  });

  it("hold a hundred thousand entries", async (test) => {
    const database = await open(test);
    await database.query(`insert into denylist.entries (kind, value, expires_at)
      select 'jti', 'v' || i, 9007199254740991 from generate_series(1, 100000) as i`);
    await using server = await startDenylistServer(database);
    const [first] = server.events;
    assert(first?.type === "read" && first.entries === 100_000);
    for (const jti of ["v1", "v2000", "v2001", "v77777", "v100000"]) {
      assert.equal(await server.reasonFor({ jti }), "TOKEN_REVOKED");
    }
    assert.equal(await server.reasonFor({ jti: "v100001" }), "accepted");
  });
});

/** A denylist that is read when the test says so. */
async function follow(test: TestContext, entriesMax?: number) {
  const database = await open(test);
  const clock = new FakeClock();
  const events: DenylistEvent[] = [];
  const replaceable: PostgresQueryable = {
    query: (text, values) => state.ask(text, values),
  };
  let told = Promise.withResolvers<DenylistEvent>();
  const onEvent = (event: DenylistEvent) => {
    events.push(event);
    if (event.type === "read" || event.type === "failed") told.resolve(event);
  };
  const ask: PostgresQueryable["query"] = (text, values) => database.pool.query(text, values);
  const state = { nowSeconds: 1_000_000, ask };
  const now = () => state.nowSeconds * 1000;
  const denylist = createPostgresDenylist({ pool: replaceable, onEvent, now }, clock, entriesMax);
  await told.promise;
  const isDenied = (tokenId: string) => {
    try {
      denylist.check({ tokenId } as AccessToken, "key-1");
      return false;
    } catch {
      return true;
    }
  };
  test.after(() => denylist.close());
  return {
    ...database,
    state,
    denylist,
    isDenied,
    /** The next read, as the text of its event. */
    async read() {
      told = Promise.withResolvers();
      await clock.advance(1_000);
      const event = await told.promise;
      return event.type === "failed" ? event.error.message : event.type;
    },
    add: (...values: string[]) =>
      database.query(
        "insert into denylist.entries (kind, value) select 'jti', unnest($1::text[])",
        [values],
      ),
  };
}

describe("a read of the denylist", () => {
  it("does not skip a row that it does not understand", async (test) => {
    const world = await follow(test);
    await world.query("alter table denylist.entries drop constraint entries_kind_check");
    await world.query("insert into denylist.entries (kind, value) values ('client_id', 'x')");
    await world.add("a");
    for (let i = 0; i < 2; i++) {
      assert.match(await world.read(), /kind must be jti, sid, kid, sub or client$/);
    }
    await world.query("delete from denylist.entries where kind = 'client_id'");
    assert.equal(await world.read(), "read");
    assert.equal(world.isDenied("a"), true);
  });

  it("is not of a standby", async (test) => {
    const world = await follow(test);
    await world.add("a");
    world.state.ask = (text, values) =>
      world.pool.query(text.replace("pg_is_in_recovery()", "true"), values);
    assert.match(await world.read(), /the server is a standby, need the primary$/);
    assert.equal(world.isDenied("a"), false);
  });

  it("misses nothing that commits between its pages", async (test) => {
    const world = await follow(test);
    const early = await world.pool.connect();
    await early.query("begin");
    await addDenylistEntry(early, { kind: "jti", value: "early" });
    await world.query(
      "insert into denylist.entries (kind, value) select 'jti', 'v' || generate_series(1, $1::int)",
      [2 * denylistPageEntries + 1],
    );
    let pages = 0;
    world.state.ask = async (text, values) => {
      const page = await world.pool.query(text, values);
      pages += 1;
      if (pages === 1) await early.query("commit");
      await addDenylistEntry(world.pool, { kind: "jti", value: `after page ${pages}` });
      return page;
    };
    assert.equal(await world.read(), "read");
    assert.equal(pages, 3);
    assert.equal(await world.read(), "read");
    early.release();
    const last = `v${2 * denylistPageEntries + 1}`;
    for (const value of ["early", "after page 1", "after page 3", "v1", last]) {
      assert.equal(world.isDenied(value), true, value);
    }
  });

  it("is complete with a driver that has custom type parsers", async (test) => {
    const world = await follow(test);
    const types = { getTypeParser: (oid: number) => (text: string) => (oid === 25 ? text : oid) };
    const client = new pg.Client({ connectionString: world.databaseUrl, types: types as never });
    await client.connect();
    await world.add('ü"\\\u{1f511}');
    world.state.ask = (text, values) => client.query(text, values);
    assert.equal(await world.read(), "read");
    await client.end();
    assert.equal(world.isDenied('ü"\\\u{1f511}'), true);
  });

  it("removes entries that have expired, and does not read them again", async (test) => {
    const world = await follow(test);
    const insert = (value: string, seconds: number) =>
      world.query("insert into denylist.entries (kind, value, expires_at) values ('jti', $1, $2)", [
        value,
        world.state.nowSeconds + seconds,
      ]);
    await insert("long ago", -3600);
    await insert("lately", -60);
    await insert("soon", 60);
    await world.read();
    const denied = () => ["long ago", "lately", "soon"].filter((value) => world.isDenied(value));
    assert.deepEqual(denied(), ["lately", "soon"]);
    world.state.nowSeconds += 120;
    await world.read();
    assert.deepEqual(denied(), ["soon"]);
    world.state.nowSeconds += 3600;
    await world.read();
    assert.deepEqual(denied(), []);
  });

  it("fails when there are too many entries, and keeps those that it has", async (test) => {
    const world = await follow(test, 3);
    await world.add("a", "b", "c", "c");
    assert.equal(await world.read(), "read");
    await world.add("d");
    assert.match(await world.read(), /it has more than 3 entries$/);
    for (const value of ["a", "b", "c"]) assert.equal(world.isDenied(value), true);
  });
});

const killAll = `
select pg_terminate_backend(pid) from pg_stat_activity
where datname = current_database() and application_name = $1`;
