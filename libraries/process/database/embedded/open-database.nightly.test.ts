import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createLogger, type Logger } from "../../logger.ts";
import {
  addressOf,
  silent as logger,
  serverProcess,
  startSample,
  temporaryFolder,
} from "../../testing/sample-program.ts";
import { startNode, startProcess } from "../../testing/start-process.ts";
import { withClient } from "../../testing/test-database.ts";
import { openDatabase } from "./open-database.ts";
import { chooseServerUser } from "./server-user.ts";

describe("openDatabase()", () => {
  it("uses a given address unchanged", async () => {
    const databaseUrl = "postgresql://user@host/database";
    const database = await openDatabase({ databaseUrl, dataDir: "/no/such/folder", logger });
    assert.equal(database.databaseUrl, databaseUrl);
    await database.close();
  });

  it("logs which database it uses, without the password", async () => {
    const lines: unknown[] = [];
    const info = (...line: unknown[]) => lines.push(line);
    const databaseUrl = "postgresql://user:hunter2@host:5433/photos";
    await openDatabase({ databaseUrl, dataDir: "/nowhere", logger: { info } as unknown as Logger });
    const parts = { host: "host", port: 5433, database: "photos", user: "user" };
    assert.deepEqual(lines, [[parts, "using the given database"]]);
  });

  it("makes a private cluster, runs it until closed, and finds its data again", async (test) => {
    const dataDir = join(await temporaryFolder(test), "new folder", "data");
    const first = await openDatabase({ dataDir, logger });
    await withClient(first.databaseUrl, async (client) => {
      const { rows } = await client.query(
        `select current_setting('server_encoding') as encoding, datcollate as collation,
                current_setting('TimeZone') as zone, rolsuper as power
         from pg_database, pg_roles where datname = current_database() and rolname = current_user`,
      );
      assert.deepEqual(rows, [{ encoding: "UTF8", collation: "C", zone: "UTC", power: false }]);
      await client.query("create schema sample; create table sample.kept (value integer)");
      await client.query("create extension pg_trgm");
    });
    const home = join(dataDir, "postgres");
    assert.equal((await stat(join(home, "cluster"))).mode & 0o777, 0o700);
    assert.equal((await stat(join(home, "server.log"))).mode & 0o777, 0o600);
    await Promise.all([first.close(), first.close()]);
    assert.equal(await serverProcess(dataDir), undefined);

    const second = await openDatabase({ dataDir, logger });
    await withClient(second.databaseUrl, (client) => client.query("select from sample.kept"));
    await second.close();
  });

  it("takes nothing from the PG variables of other databases", async (test) => {
    const dataDir = await temporaryFolder(test);
    const elsewhere = {
      PGHOST: "192.0.2.1",
      PGPORT: "1",
      PGDATABASE: "none",
      PGUSER: "nobody",
      PGPASSWORD: "wrong",
      PGPASSFILE: "/nowhere",
      PGSERVICE: "none",
      PGAPPNAME: "none",
      PGSSLMODE: "verify-full",
      PGSSLROOTCERT: "/nowhere",
      PGSSLNEGOTIATION: "direct",
      PGOPTIONS: "-c nonsense=1",
      PGCLIENTENCODING: "LATIN1",
      PGTZ: "none",
    };
    const sample = startSample(dataDir, { env: elsewhere });
    const databaseUrl = await addressOf(sample);
    const asking = `
      import { createLogger, openPool } from "@stowage/process";
      const logger = createLogger({ name: "sample" });
      const pool = openPool({
        databaseUrl: process.env.SAMPLE_URL, connectionsMax: 1, applicationName: "a", logger });
      console.log("got " + (await pool.query("select 1")).rowCount);
      await pool.end();`;
    const worker = startNode(["--input-type=module-typescript", "--eval", asking], {
      cwd: import.meta.dirname,
      env: { ...elsewhere, SAMPLE_URL: databaseUrl },
    });
    await worker.line(/^got 1$/);
    sample.kill("SIGTERM");
    assert.equal((await sample.ended).exitCode, 0);
  });

  it("starts in spite of a postmaster.pid that names a living process", async (test) => {
    const dataDir = await temporaryFolder(test);
    await (await openDatabase({ dataDir, logger })).close();
    const cluster = join(dataDir, "postgres", "cluster");
    const user = await chooseServerUser(cluster);
    const bystander = startProcess("/bin/sleep", ["600"], { ...user });
    const lines = [
      bystander.processId,
      cluster,
      1_700_000_000,
      1,
      "",
      "127.0.0.1",
      "",
      "ready",
      "",
    ];
    await writeFile(join(cluster, "postmaster.pid"), lines.join("\n"));

    const database = await openDatabase({ dataDir, logger });
    await withClient(database.databaseUrl, (client) => client.query("select 1"));
    await database.close();
    bystander.kill("SIGTERM");
    assert.equal((await bystander.ended).signal, "SIGTERM");
  });

  it("closes in peace when the server is gone", async (test) => {
    const dataDir = await temporaryFolder(test);
    const database = await openDatabase({ dataDir, logger });
    process.kill((await serverProcess(dataDir)) ?? 0, "SIGQUIT");
    await database.close();
  });

  it("refuses a cluster of another major version, and does not change it", async (test) => {
    const dataDir = await temporaryFolder(test);
    await (await openDatabase({ dataDir, logger })).close();
    const file = join(dataDir, "postgres", "cluster", "PG_VERSION");
    const before = await readFile(file, "utf8");
    await writeFile(file, "17\n");
    await assert.rejects(
      openDatabase({ dataDir, logger }),
      /it was written by PostgreSQL 17, need PostgreSQL 18; run the version .* or set DATA_DIR/,
    );
    await writeFile(file, before);
    await (await openDatabase({ dataDir, logger })).close();
  });

  it("reports the server's message when it does not start", async (test) => {
    const dataDir = await temporaryFolder(test);
    await (await openDatabase({ dataDir, logger })).close();
    const cluster = join(dataDir, "postgres", "cluster");
    await writeFile(join(cluster, "postgresql.conf"), "nonsense = 1\n");
    await assert.rejects(
      openDatabase({ dataDir, logger }),
      /Cannot start the database in .*unrecognized configuration parameter "nonsense"/s,
    );
  });

  it("refuses a path that the PostgreSQL tools would misread", async (test) => {
    const dataDir = join(await temporaryFolder(test), "$(id)");
    const opening = openDatabase({ dataDir, logger: createLogger({ name: "x", level: "silent" }) });
    await assert.rejects(opening, /Cannot use the path ".*\$\(id\).*": need one without/);
  });
});
