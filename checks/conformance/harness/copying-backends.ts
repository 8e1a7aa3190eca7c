/** The database's processes that are sending rows of a tree. */
import pg from "pg";

export interface CopyingBackends {
  count(): Promise<number>;
  /** Breaks their connections, as a database does that is shut down. */
  end(): Promise<void>;
  close(): Promise<void>;
}

export async function watchCopyingBackends(databaseUrl: string): Promise<CopyingBackends> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const select = (what: string) =>
    client.query(`select ${what} from pg_stat_activity where datname = current_database()
      and state = 'active' and query like 'copy %' and pid <> pg_backend_pid()`);
  return {
    count: async () => (await select("pid")).rows.length,
    async end() {
      await select("pg_terminate_backend(pid)");
    },
    close: () => client.end(),
  };
}
