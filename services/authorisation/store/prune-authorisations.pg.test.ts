import assert from "node:assert/strict";
import { it } from "node:test";
import { createLogger, openPool } from "@stowage/process";
import { createTestDatabase } from "@stowage/process/testing";
import { pruneAuthorisations } from "./authorisations.ts";
import { authSchema } from "./migrate-store.ts";

it("removes old records, the oldest first, at most 10,000 at once", async () => {
  const database = await createTestDatabase(authSchema);
  const logger = createLogger({ name: "test", level: "silent" });
  const { databaseUrl } = database;
  const pool = openPool({ databaseUrl, connectionsMax: 2, applicationName: "test", logger });
  await pool.query(`
    insert into auth.authorisations (authorisation_id, grant_type, client_id, application_id,
      organisation_id, subject, audience, scopes, address, token_id,
      issued_at)
    select gen_random_uuid(), 'client_credentials', gen_random_uuid(), 'a', 'acme', 's', 'u', '{}',
      '192.0.2.1', gen_random_uuid(), now() - make_interval(days => days)
    from (
      select 30 from generate_series(1, 10005) union all values (9), (11), (0)
    ) as ages (days)`);

  assert.equal(await pruneAuthorisations(pool, 10), 10_000);
  const both = await Promise.all([1, 2].map(() => pruneAuthorisations(pool, 10)));
  assert.equal(
    both.reduce((sum, removed) => sum + removed, 0),
    6,
  );
  assert.equal(await pruneAuthorisations(pool, 10), 0);
  const { rows } = await pool.query("select count(*)::int as left from auth.authorisations");
  assert.deepEqual(rows, [{ left: 2 }]);
  await pool.end();
  await database.drop();
});
