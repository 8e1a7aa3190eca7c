/** Organisations come to be when something of theirs is added. */
import type pg from "pg";

/** Makes an organisation where there is none of this name. */
export async function ensureOrganisation(
  connection: pg.ClientBase,
  organisationId: string,
): Promise<void> {
  await connection.query(
    "insert into auth.organisations (organisation_id) values ($1) on conflict do nothing",
    [organisationId],
  );
}
