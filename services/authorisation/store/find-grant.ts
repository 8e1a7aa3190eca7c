/** Which grant of a person's a token came of. */
import type pg from "pg";

/** Gives the grant's ID; undefined where nobody was asked. `authorisationId` must be a UUID. */
export async function findGrantOf(
  pool: pg.Pool,
  authorisationId: string,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ grantId: string | null }>({
    name: "find-grant-of",
    text: `select grant_id as "grantId" from auth.authorisations where authorisation_id = $1`,
    values: [authorisationId],
  });
  return rows[0]?.grantId ?? undefined;
}
