/** What the database does for the service: watched, or held up. */
import pg from "pg";

/** The processes of the database that are sending the rows of a tree. */
export interface TreeBackends {
  count(): Promise<number>;
  areReading(): Promise<boolean>;
  areIdle(): Promise<boolean>;
  /** Ends their connections, as a database does when it shuts down. */
  end(): Promise<void>;
  close(): Promise<void>;
}

export async function watchTreeBackends(databaseUrl: string): Promise<TreeBackends> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const select = (what: string) =>
    client.query(`select ${what} from pg_stat_activity where datname = current_database()
      and state = 'active' and query like '%select r.* from%' and pid <> pg_backend_pid()`);
  const count = async () => (await select("pid")).rows.length;
  return {
    count,
    areReading: async () => (await count()) > 0,
    areIdle: async () => (await count()) === 0,
    async end() {
      await select("pg_terminate_backend(pid)");
    },
    close: () => client.end(),
  };
}

/** A lock of all our tables, so that every statement waits until it is released. */
export interface LockedTables {
  /** The statements of other connections that run or wait now. */
  statementsOfOthers(): Promise<string[]>;
  /** May be called again. */
  unlock(): Promise<void>;
}

export async function lockTables(databaseUrl: string): Promise<LockedTables> {
  const client = new pg.Client(databaseUrl);
  // A transaction sees the activity as it was at its first look, so another client watches.
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
