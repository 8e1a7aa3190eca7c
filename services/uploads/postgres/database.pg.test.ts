import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import type { Database } from "./database.ts";
import { schemaDirectory, schemaName } from "./prepare-database.ts";
import { openPools } from "./testing/open-pools.ts";

const forever = new AbortController().signal;

const open = (databaseUrl: string) =>
  openPools(databaseUrl, { connectionsMax: 2, applicationName: "database-test" });

describe("Database.read()", () => {
  let testDatabase: TestDatabase;
  let pool: pg.Pool;
  let database: Database;
  let close: () => Promise<void>;

  before(async () => {
    testDatabase = await createTestDatabase({ schema: schemaName, directory: schemaDirectory });
    ({ pool, database, close } = open(testDatabase.databaseUrl));
  });
  after(async () => {
    await close();
    await testDatabase.drop();
  });

  async function sleepingStatements(): Promise<number> {
    const { rows } = await pool.query<{ count: string }>(
      `select count(*) from pg_stat_activity
      where query like '%pg_sleep(59)%' and state = 'active' and pid <> pg_backend_pid()`,
    );
    return Number(rows[0]?.count);
  }

  async function until(condition: () => Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
  }

  it("gives the rows of a statement", async () => {
    const rows = await database.read({ signal: forever }, ({ run }) =>
      run("select :n::int as n", { n: 1 }),
    );
    assert.deepEqual(rows, [{ n: 1 }]);
  });

  it("cancels the statement when the signal aborts, and throws the reason", async () => {
    const stop = new AbortController();
    const reason = new Error("time is up");
    const reading = database.read({ signal: stop.signal }, ({ run }) => run("select pg_sleep(59)"));
    await until(async () => (await sleepingStatements()) === 1);
    stop.abort(reason);
    await assert.rejects(reading, reason);
    await until(async () => (await sleepingStatements()) === 0);
  });

  it("runs nothing for a signal that has aborted", async () => {
    const reason = new Error("time is up");
    const reading = database.read({ signal: AbortSignal.abort(reason) }, () =>
      assert.fail("this must not run"),
    );
    await assert.rejects(reading, reason);
  });

  it("stops waiting for a connection when the signal aborts, and loses none", async () => {
    const held = await Promise.all([pool.connect(), pool.connect()]);
    const stop = new AbortController();
    const reading = database.read({ signal: stop.signal }, ({ run }) => run("select 1"));
    const reason = new Error("time is up");
    stop.abort(reason);
    await assert.rejects(reading, reason);
    for (const client of held) client.release();
    await until(async () => pool.waitingCount === 0 && pool.idleCount === pool.totalCount);
  });

  it("shows one state of the database to all statements of a snapshot", async () => {
    await pool.query("create table public.counted as select 1 as n");
    const counts = await database.read({ signal: forever, snapshot: true }, async ({ run }) => {
      const count = "select count(*)::int as count from public.counted";
      const first = await run<{ count: number }>(count);
      await pool.query("insert into public.counted values (2)");
      const second = await run<{ count: number }>(count);
      return [...first, ...second].map((row) => row.count);
    });
    assert.deepEqual(counts, [1, 1]);
  });

  for (const snapshot of [false, true]) {
    it(`keeps its connection when the work throws, snapshot: ${snapshot}`, async () => {
      let closed = 0;
      pool.on("remove", () => {
        closed += 1;
      });
      const refused = new Error("refused");
      const reading = database.read({ signal: forever, snapshot }, async ({ run }) => {
        await run("select 1");
        throw refused;
      });
      await assert.rejects(reading, refused);
      await until(async () => pool.idleCount === pool.totalCount);
      assert.equal(closed, 0);
      const rows = await database.read({ signal: forever }, ({ run }) => run("select 1 as n"));
      assert.deepEqual(rows, [{ n: 1 }]);
    });
  }

  it("has a named statement parsed once for each connection, and others not kept", async () => {
    const kept = await database.read({ signal: forever }, async ({ run, readColumn }) => {
      await run("select 1 as not_kept");
      const text = "select $1::text as kept";
      for (const n of [1, 2, 3]) await readColumn({ name: "kept", text, values: [n] });
      return run(`select name, statement from pg_prepared_statements
        where statement like '%kept%' and statement not like '%pg_prepared%'`);
    });
    assert.deepEqual(
      kept.map((row) => row.statement),
      ["select $1::text as kept"],
    );
  });

  it("passes on an error that is a fault of ours, and goes on after it", async () => {
    const failing = database.read({ signal: forever }, ({ run }) => run("select 1 / 0"));
    await assert.rejects(failing, { code: "22012" });
    assert.equal(
      (await database.read({ signal: forever }, ({ run }) => run("select 1"))).length,
      1,
    );
  });
});

describe("Database.read() when the database goes away", () => {
  it("refuses with DATABASE_UNAVAILABLE, and works again when it is back", async () => {
    const testDatabase = await createTestDatabase({
      schema: schemaName,
      directory: schemaDirectory,
    });
    const proxy = await startProxy(new URL(testDatabase.databaseUrl));
    const { database, close } = open(proxy.databaseUrl);
    const read = () => database.read({ signal: forever }, ({ run }) => run("select 1 as n"));
    try {
      assert.equal((await read()).length, 1);
      await proxy.down();
      await assert.rejects(read(), { name: "ApiError", reason: "DATABASE_UNAVAILABLE" });
      await assert.rejects(read(), { name: "ApiError", reason: "DATABASE_UNAVAILABLE" });
      await proxy.up();
      assert.equal((await read()).length, 1);
    } finally {
      await close();
      await proxy.down();
      await testDatabase.drop();
    }
  });
});

describe("Database.read() when the database no longer answers", () => {
  it("throws the signal's reason all the same, and holds no connection", async () => {
    const testDatabase = await createTestDatabase({
      schema: schemaName,
      directory: schemaDirectory,
    });
    const proxy = await startProxy(new URL(testDatabase.databaseUrl));
    const { pool, cancelPool, database, close } = open(proxy.databaseUrl);
    try {
      await database.read({ signal: forever }, ({ run }) => run("select 1"));
      await cancelPool.query("select 1");
      proxy.stall();
      for (const snapshot of [false, true, false]) {
        const stop = new AbortController();
        const options = { signal: stop.signal, snapshot };
        const reading = database.read(options, ({ run }) => run("select 1"));
        const reason = new Error("time is up");
        setImmediate(() => stop.abort(reason));
        await assert.rejects(reading, reason);
      }
      assert.equal(pool.idleCount, 0);
    } finally {
      await proxy.down();
      await close();
      await testDatabase.drop();
    }
  });
});

describe("Database.read() when the database takes connections and says nothing", () => {
  it("throws the signal's reason all the same", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket.on("error", () => {})));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { pool, database, close } = open(`postgres://nobody@127.0.0.1:${port}/nothing`);
    try {
      const stop = new AbortController();
      const reading = database.read({ signal: stop.signal }, ({ run }) => run("select 1"));
      const reason = new Error("time is up");
      server.once("connection", () => stop.abort(reason));
      await assert.rejects(reading, reason);
      assert.equal(pool.totalCount, 1, "the connection is still being made");
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
      await close();
    }
  });
});

/** A proxy between a client and the database, so that a test can cut the connection. */
async function startProxy(target: URL) {
  const sockets = new Set<Socket>();
  let server: Server;
  let port = 0;
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    return socket;
  };
  const up = async () => {
    server = createServer((socket) => {
      const onward = track(connect({ host: target.hostname, port: Number(target.port) }));
      track(socket).pipe(onward).pipe(socket);
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    const address = server.address();
    if (address !== null && typeof address === "object") port = address.port;
  };
  const down = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  // Connections stay open, and no byte moves on them.
  const stall = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  await up();
  const databaseUrl = new URL(target);
  databaseUrl.hostname = "127.0.0.1";
  databaseUrl.port = String(port);
  return { databaseUrl: databaseUrl.href, up, down, stall };
}
