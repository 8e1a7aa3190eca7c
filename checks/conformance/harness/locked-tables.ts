/** A database in which every statement on a table waits, until the lock is let go. */
import pg from "pg";

export interface LockedTables {
  /** Statements of others that run or wait at this moment. */
  statementsOfOthers(): Promise<string[]>;
  unlock(): Promise<void>;
}

export async function lockTables(databaseUrl: string): Promise<LockedTables> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "lock" });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  await client.query("begin");
  const names = rows.map(({ name }) => name).join(", ");
  await client.query(`lock table ${names} in access exclusive mode`);
  return {
    async statementsOfOthers() {
      const result = await client.query<{ query: string }>(
        `select query from pg_stat_activity where datname = current_database()
         and pid <> pg_backend_pid() and state <> 'idle' and backend_type = 'client backend'`,
      );
      return result.rows.map(({ query }) => query);
    },
    async unlock() {
      await client.query("rollback");
      await client.end();
    },
  };
}
