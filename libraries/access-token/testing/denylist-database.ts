/** An empty database for one test, and connections to it that end with the test. */
import type { TestContext } from "node:test";
import { createTestDatabase } from "@stowage/process/testing";
import pg from "pg";

export interface DenylistDatabase {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  query(sql: string, values?: unknown[]): Promise<string[][]>;
}

/** With `prepare`, whatever it does has been done. */
export async function openDenylistDatabase(
  test: TestContext,
  prepare?: (pool: pg.Pool) => Promise<void>,
): Promise<DenylistDatabase> {
  const { databaseUrl, drop } = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: databaseUrl, application_name: "denylist-test" });
  // Some tests break every connection there is.
  pool.on("error", () => undefined);
  test.after(async () => {
    await pool.end();
    await drop();
  });
  await prepare?.(pool);
  return {
    databaseUrl,
    pool,
    /** Rows as texts. */
    async query(text, values = []) {
      const { rows } = await pool.query({ text, values, rowMode: "array" });
      return rows.map((row) => row.map(String));
    },
  };
}
