/** Forgets what was granted long ago. */
import type pg from "pg";

/** Rows removed in one go: well under a second of work, whoever else uses the table. */
const rowsMax = 10_000;

/**
 * Removes the oldest records, those granted more than `keptDays` ago, and at most 10,000 of them.
 * Gives how many. Processes that do so at the same moment take different ones.
 */
export async function pruneAuthorisations(pool: pg.Pool, keptDays: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from auth.authorisations where authorisation_id in (
       select authorisation_id from auth.authorisations
       where issued_at < now() - make_interval(days => $1)
       order by issued_at limit ${rowsMax}
       for update skip locked)`,
    [keptDays],
  );
  return rowCount ?? 0;
}
