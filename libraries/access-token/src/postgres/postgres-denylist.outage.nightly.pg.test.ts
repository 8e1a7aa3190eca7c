import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { type DatabaseRelay, relayDatabase } from "@stowage/process/testing";
import { type DenylistDatabase, openDenylistDatabase } from "../../testing/denylist-database.ts";
import { startDenylistServer } from "../../testing/denylist-servers.ts";
import { until } from "../../testing/until.ts";
import type { DenylistEvent } from "./denylist-options.ts";
import { addDenylistEntry, prepareDenylist } from "./denylist-table.ts";

/** Servers read the denylist through a relay that can fail, but write directly. */
async function open(test: TestContext): Promise<{ relay: DatabaseRelay; way: DenylistDatabase }> {
  const database = await openDenylistDatabase(test, prepareDenylist);
  const relay = await relayDatabase(database.databaseUrl);
  test.after(() => relay.cut());
  return { relay, way: { ...database, databaseUrl: relay.databaseUrl } };
}

const soon = { lagMaxMs: 3000 };

function failuresIn(events: readonly DenylistEvent[]): readonly Error[] {
  return events.flatMap((event) => (event.type === "failed" ? [event.error] : []));
}

describe("a server that reads a denylist", () => {
  for (const outage of ["stall", "cut"] as const) {
    it(`refuses after a ${outage} of its connection, and then misses no entry`, async (test) => {
      const { relay, way } = await open(test);
      await using server = await startDenylistServer(way, soon);
      await using other = await startDenylistServer(way, { ...soon, whenBehind: "serve" });
      await server.denylist.add({ kind: "jti", value: "known" });
      await other.reads(1);
      await relay[outage]();
      for (const { events } of [server, other]) {
        await until(() => events.some(({ type }) => type === "behind"));
      }
      assert(server.denylist.lagMs >= soon.lagMaxMs);
      assert.equal(await server.reasonFor({ jti: "t1" }), "DENYLIST_UNAVAILABLE");
      assert.equal(await other.reasonFor({ jti: "t1" }), "accepted");
      for (const { reasonFor } of [server, other]) {
        assert.equal(await reasonFor({ jti: "known" }), "TOKEN_REVOKED");
      }
      await addDenylistEntry(way.pool, { kind: "jti", value: "t1" });
      assert.equal(await other.reasonFor({ jti: "t1" }), "accepted");
      await addDenylistEntry(way.pool, { kind: "jti", value: "t2" });

      await relay.mend();
      for (const { reads, reasonFor } of [server, other]) {
        await reads(1);
        assert.equal(await reasonFor({ jti: "t1" }), "TOKEN_REVOKED");
        assert.equal(await reasonFor({ jti: "t2" }), "TOKEN_REVOKED");
        assert.equal(await reasonFor({ jti: "t3" }), "accepted");
      }
    });
  }

  it("is current as soon as there is a database", async (test) => {
    const { relay, way } = await open(test);
    await way.query("alter table denylist.entries rename to not_yet");
    await relay.cut();
    await using server = await startDenylistServer(way, { isWaitedFor: false });
    await until(() => failuresIn(server.events).length > 0);
    assert.equal(await server.reasonFor({}), "DENYLIST_UNAVAILABLE");
    await relay.mend();
    await until(() =>
      failuresIn(server.events).some((error) => "code" in error && error.code === "42P01"),
    );
    assert.equal(await server.reasonFor({}), "DENYLIST_UNAVAILABLE");
    await way.query("alter table denylist.not_yet rename to entries");
    await server.denylist.whenCurrent();
    assert.equal(await server.reasonFor({}), "accepted");
  });
});
