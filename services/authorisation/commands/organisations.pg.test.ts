import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import { runToEnd } from "../testing/run-program.ts";

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

function run(program: string, ...commandLine: string[]) {
  const settings = { DATABASE_URL: database.databaseUrl };
  return runToEnd(`commands/${program}.ts`, commandLine, settings);
}

it("organisations are listed, disabled and enabled", async () => {
  await run("clients", "add", "--organisation", "acme");
  const list = async () =>
    JSON.parse((await run("organisations", "list", "--json")).stdout) as Record<string, unknown>[];
  const [first] = await list();
  const { createdAt: _, ...acme } = first ?? {};
  const counts = { accounts: 0, applications: 1 };
  assert.deepEqual(acme, { organisationId: "acme", disabledAt: null, ...counts });

  const disabled = await run("organisations", "disable", "acme");
  assert.deepEqual([disabled.code, disabled.stdout], [0, "disabled organisation acme\n"]);
  assert.match((await run("organisations", "list")).stdout, /^acme +\S+ +disabled +0 +1$/m);
  const enabled = await run("organisations", "enable", "acme");
  assert.deepEqual([enabled.code, enabled.stdout], [0, "enabled organisation acme\n"]);
  assert.equal((await list())[0]?.disabledAt, null);
  const unknown = await run("organisations", "disable", "globex");
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /Cannot disable organisation globex: there is no such organisation/);
});
