import type pg from "pg";

/** Removing a batch takes well under a second. */
const rowsMax = 10_000;

/** A table of records: its key, and the column with the time that their age counts from. */
interface KeptRecords {
  readonly table: "auth.audit_events" | "auth.authorisations";
  readonly id: string;
  readonly time: string;
}

/**
 * Removes a batch of records older than `keptDays`, the oldest first. Returns how many. Processes
 * that run at the same time remove different records, and do not wait for each other.
 */
export async function pruneRows(
  pool: pg.Pool,
  { table, id, time }: KeptRecords,
  keptDays: number,
): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from ${table} where ${id} in (
       select ${id} from ${table}
       where ${time} < now() - make_interval(days => $1)
       order by ${time} limit ${rowsMax}
       for update skip locked)`,
    [keptDays],
  );
  return rowCount ?? 0;
}
