import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createLogger, errorText } from "@stowage/process";
import { createTestDatabase, relayDatabase, type TestDatabase } from "@stowage/process/testing";
import { followDenylist } from "./follow-denylist.ts";

const logger = createLogger({ name: "test", level: "silent" });
const settings = { denylistLagMaxMs: 2000, denylistWhenBehind: "refuse" } as const;

describe("followDenylist()", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  it("says why it cannot be read, and creates the table when the database answers", async () => {
    const relay = await relayDatabase(database.databaseUrl);
    await relay.cut();
    const signal = AbortSignal.abort();
    const warnings: unknown[] = [];
    const listening = Object.assign(Object.create(logger), {
      warn: (...line: unknown[]) => warnings.push(line),
    });
    const opened = await followDenylist(relay.databaseUrl, settings, { logger: listening, signal });
    const { host } = new URL(relay.databaseUrl);
    const reason = `connect ECONNREFUSED ${host}`;
    assert.deepEqual(warnings, [[{ reason }, "the denylist has not been read yet"]]);
    try {
      await assert.rejects(opened.check(), (error) => {
        assert.equal(errorText(error), `the denylist was never read: ${reason}`);
        return true;
      });
      await relay.mend();
      await opened.denylist.whenCurrent();
      await opened.check();
      assert.deepEqual(warnings.slice(1), [["the denylist is current"]]);
    } finally {
      await opened.close();
      await relay.cut();
    }
  });

  it("can be closed while the database does not answer", async () => {
    const relay = await relayDatabase(database.databaseUrl);
    const { signal } = new AbortController();
    const failed = Promise.withResolvers<void>();
    const listening = Object.assign(Object.create(logger), { debug: () => failed.resolve() });
    const opened = await followDenylist(relay.databaseUrl, settings, { logger: listening, signal });
    relay.stall();
    await failed.promise;
    await opened.close();
    await relay.cut();
    await assert.rejects(opened.check(), /^Error: the denylist was never read$/);
  });
});
