import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import type pg from "pg";
import { type DenylistDatabase, openDenylistDatabase } from "../../testing/denylist-database.ts";
import { DenylistModel, type Step } from "../../testing/denylist-model.ts";
import type { AccessToken } from "../access-token.ts";
import { denylistPageEntries } from "../limits.ts";
import type { PostgresQueryable } from "./connection.ts";
import { DenylistReplica } from "./denylist-replica.ts";
import { addDenylistEntry, prepareDenylist } from "./denylist-table.ts";

const open = (test: TestContext) => openDenylistDatabase(test, prepareDenylist);

function isDenied(entries: DenylistReplica, tokenId: string): boolean {
  return entries.denied.find({ tokenId } as AccessToken, "key-1") === "jti";
}

/** The numbers of the values `v0`, `v1`, … that are denied. */
function deniedOf(entries: DenylistReplica, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `v${i}`).filter((id) => isDenied(entries, id));
}

async function withClients<T>(
  { pool }: DenylistDatabase,
  count: number,
  action: (clients: readonly pg.PoolClient[]) => Promise<T>,
): Promise<T> {
  const clients = await Promise.all(Array.from({ length: count }, () => pool.connect()));
  try {
    return await action(clients);
  } finally {
    for (const client of clients) client.release(true);
  }
}

async function store({ query }: DenylistDatabase, count: number, from = 0): Promise<void> {
  await query(
    `insert into denylist.entries (kind, value)
     select 'jti', 'v' || i from generate_series($1::int, $2::int) as i`,
    [from, from + count - 1],
  );
}

describe("a read", () => {
  const stepOf = fc.record<Step>({
    connection: fc.nat({ max: 3 }),
    action: fc.constantFrom("begin", "add", "add", "savepoint", "take back", "commit", "roll back"),
  });

  it("leaves exactly the entries in force that were committed before it", async (test) => {
    const database = await open(test);
    const turns = fc.array(
      fc.oneof({ weight: 4, arbitrary: stepOf }, fc.constant("read" as const)),
      {
        minLength: 20,
        maxLength: 60,
      },
    );
    await withClients(database, 5, async ([reader, ...writers]) => {
      await fc.assert(
        fc.asyncProperty(turns, async (schedule) => {
          await database.query("delete from denylist.entries");
          const model = new DenylistModel(writers);
          const entries = new DenylistReplica(Date.now);
          for (const turn of [...schedule, "read" as const]) {
            if (turn !== "read") {
              await model.take(turn);
              continue;
            }
            await entries.read(reader!);
            assert.deepEqual(deniedOf(entries, model.values), [...model.committed].sort(byNumber));
          }
          await model.endAll();
        }),
        { numRuns: 60 },
      );
    });
  });

  it("misses no entry of writers that never stop", async (test) => {
    const database = await open(test);
    const committed: string[] = [];
    let isOver = false;
    await withClients(database, 5, async ([reader, ...writers]) => {
      const writing = writers.map(async (writer, number) => {
        for (let i = 0; i < 150; i++) {
          const value = `${number}-${i}`;
          await writer.query("begin");
          await addDenylistEntry(writer, { kind: "jti", value });
          if (i % 3 === number % 3) await writer.query("select pg_sleep(random() / 100)");
          await writer.query("commit");
          committed.push(value);
        }
      });
      const reading = (async () => {
        const entries = new DenylistReplica(Date.now);
        for (let isLast = false; !isLast; ) {
          isLast = isOver;
          const due = committed.slice();
          await entries.read(reader!);
          assert.deepEqual(
            due.filter((value) => !isDenied(entries, value)),
            [],
          );
        }
      })();
      await Promise.all(writing).finally(() => {
        isOver = true;
      });
      await reading;
      assert.equal(committed.length, 600);
    });
  });

  it("returns each entry once, however long a transaction stays open", async (test) => {
    const database = await open(test);
    await withClients(database, 2, async ([slow, reader]) => {
      const entries = new DenylistReplica(Date.now);
      await slow!.query("begin");
      await addDenylistEntry(slow!, { kind: "jti", value: "slow" });
      assert.deepEqual(await entries.read(reader!), { isWhole: true, entries: 0 });
      await store(database, 3 * denylistPageEntries);
      assert.equal((await entries.read(reader!)).entries, 3 * denylistPageEntries);
      for (let i = 0; i < 3; i++) assert.equal((await entries.read(reader!)).entries, 0);
      assert.equal(isDenied(entries, "slow"), false);
      await slow!.query("commit");
      assert.deepEqual(await entries.read(reader!), { isWhole: false, entries: 1 });
      assert.equal(isDenied(entries, "slow"), true);
    });
  });

  it("sees what a transaction with many savepoints stored", async (test) => {
    const database = await open(test);
    await withClients(database, 2, async ([writer, reader]) => {
      const entries = new DenylistReplica(Date.now);
      await writer!.query("begin");
      // Beyond 64 of them the server no longer keeps the numbers of the parts at hand.
      for (let i = 0; i < 100; i++) {
        await writer!.query("savepoint s");
        await addDenylistEntry(writer!, { kind: "jti", value: `v${i}` });
        if (i % 2 === 1) await writer!.query("rollback to s");
        if (i % 10 === 0) await entries.read(reader!);
      }
      assert.equal(entries.denied.size, 0);
      await writer!.query("commit");
      assert.equal((await entries.read(reader!)).entries, 50);
    });
  });

  for (const what of ["everything", "news"]) {
    it(`of ${what} misses nothing that commits between its pages`, async (test) => {
      const database = await open(test);
      await withClients(database, 2, async ([early, reader]) => {
        const entries = new DenylistReplica(Date.now);
        if (what === "news") await entries.read(reader!);
        await early!.query("begin");
        await addDenylistEntry(early!, { kind: "jti", value: "early" });
        await store(database, 2 * denylistPageEntries + 1);
        let pages = 0;
        const interrupted: PostgresQueryable = {
          async query(text, values) {
            const page = await reader!.query(text, values);
            pages++;
            if (pages === 1) await early!.query("commit");
            await addDenylistEntry(database.pool, { kind: "jti", value: `after page ${pages}` });
            return page;
          },
        };
        await entries.read(interrupted);
        assert.equal(pages, 3);
        assert.equal(deniedOf(entries, 2 * denylistPageEntries + 1).length, 4001);
        await entries.read(reader!);
        for (const value of ["early", "after page 1", "after page 2", "after page 3"]) {
          assert.equal(isDenied(entries, value), true, value);
        }
      });
    });
  }
});

function byNumber(one: string, other: string): number {
  return Number(one.slice(1)) - Number(other.slice(1));
}
