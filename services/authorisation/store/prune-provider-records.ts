/** Forgets what has expired. */
import type pg from "pg";

/** Rows removed in one go: well under a second of work, whoever else uses the table. */
const rowsMax = 10_000;

/**
 * Removes records that have expired, at most 10,000, and gives how many. Processes that do so at
 * the same moment take different ones.
 */
export async function pruneProviderRecords(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from auth.provider_records where (model, id_hash) in (
       select model, id_hash from auth.provider_records
       where expires_at < now()
       order by expires_at limit ${rowsMax}
       for update skip locked)`,
  );
  return rowCount ?? 0;
}
