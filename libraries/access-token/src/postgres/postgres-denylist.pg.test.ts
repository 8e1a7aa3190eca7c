import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { openDenylistDatabase } from "../../testing/denylist-database.ts";
import {
  applicationName,
  type DenylistServer,
  startDenylistServer,
} from "../../testing/denylist-servers.ts";
import { nowSeconds } from "../../testing/tokens.ts";
import type { DenylistEntry } from "../denylist/denylist.ts";
import { addDenylistEntry, prepareDenylist } from "./denylist-table.ts";

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
    [{ kind: "kid", value: "key-1" }, { jti: "t9" }, {}],
  ];
  for (const pollIntervalMs of [1_000, 60_000]) {
    const how = pollIntervalMs === 1_000 ? "within 2 s" : "at once when notified";
    it(`refuse ${how} a token that one of them revoked`, async (test) => {
      const database = await open(test);
      await using one = await startDenylistServer(database, { pollIntervalMs });
      await using other = await startDenylistServer(database, { pollIntervalMs });
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
  }

  it("refuse within 2 s without any notification", async (test) => {
    const database = await open(test);
    await using server = await startDenylistServer(database);
    await database.query("insert into denylist.entries (kind, value) values ('jti', 't1')");
    assert((await untilRevoked(server, { jti: "t1" })) < 2_000);
  });

  it("miss no entry that commits long after a later one", async (test) => {
    const database = await open(test);
    await using server = await startDenylistServer(database, { pollIntervalMs: 100 });
    const slow = await database.pool.connect();
    await slow.query("begin");
    await addDenylistEntry(slow, { kind: "jti", value: "slow" });
    await addDenylistEntry(database.pool, { kind: "jti", value: "quick" });
    await server.reads(50);
    assert.equal(await server.reasonFor({ jti: "quick" }), "TOKEN_REVOKED");
    assert.equal(await server.reasonFor({ jti: "slow" }), "accepted");
    await slow.query("commit");
    slow.release();
    assert((await untilRevoked(server, { jti: "slow" })) < 2_000);
  });

  it("lose no entry when their connections are killed again and again", async (test) => {
    const database = await open(test);
    await using server = await startDenylistServer(database, { pollIntervalMs: 100 });
    const values = Array.from({ length: 40 }, (_, i) => `v${i}`);
    for (const [i, value] of values.entries()) {
      await addDenylistEntry(database.pool, { kind: "jti", value });
      if (i % 4 === 1) await database.query(killAll, [applicationName]);
      if (i % 4 === 3) await server.reads(1);
    }
    for (const jti of values) assert.equal(await server.reasonFor({ jti }), "TOKEN_REVOKED");
    assert.deepEqual(
      server.events.filter(({ type }) => type === "behind"),
      [],
    );
    const failures = server.events.filter(({ type }) => type === "failed");
    assert.equal(failures.length, 10);
  });

  it("hold a hundred thousand entries", async (test) => {
    const database = await open(test);
    await database.query(`insert into denylist.entries (kind, value, expires_at)
      select 'jti', 'v' || i, 9007199254740991 from generate_series(1, 100000) as i`);
    await using server = await startDenylistServer(database);
    const [first] = server.events;
    assert(first?.type === "loaded" && first.entries === 100_000);
    for (const jti of ["v1", "v2000", "v2001", "v77777", "v100000"]) {
      assert.equal(await server.reasonFor({ jti }), "TOKEN_REVOKED");
    }
    assert.equal(await server.reasonFor({ jti: "v100001" }), "accepted");
  });
});

const killAll = `
select pg_terminate_backend(pid) from pg_stat_activity
where datname = current_database() and application_name = $1`;
