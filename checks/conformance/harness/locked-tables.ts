/** A database in which every statement on a table of ours waits, until the lock is let go. */
import pg from "pg";

export interface LockedTables {
  /** Statements of others that run or wait at this moment. */
  statementsOfOthers(): Promise<string[]>;
  /** May be called again. */
  unlock(): Promise<void>;
}

export async function lockTables(databaseUrl: string): Promise<LockedTables> {
  const client = new pg.Client(databaseUrl);
  // Inside its transaction the first would see the activity as it was when it first looked.
  const watcher = new pg.Client(databaseUrl);
  await Promise.all([client.connect(), watcher.connect()]);
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname = 'uploads'`,
  );
  await client.query("begin");
  const names = rows.map(({ name }) => name).join(", ");
  await client.query(`lock table ${names} in access exclusive mode`);
  let isOpen = true;
  return {
    async statementsOfOthers() {
      const result = await watcher.query<{ query: string }>(
        `select query from pg_stat_activity where datname = current_database()
         and pid <> pg_backend_pid() and state in ('active', 'idle in transaction (aborted)')`,
      );
      return result.rows.map(({ query }) => query);
    },
    async unlock() {
      if (isOpen) await Promise.all([client.end(), watcher.end()]);
      isOpen = false;
    },
  };
}
