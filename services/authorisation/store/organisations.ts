/** Applications and organisations come to be when something of theirs is added. */
import type pg from "pg";

/** Something cannot be added as asked; the message says why. */
export class ConflictError extends Error {
  override name = "ConflictError";
}

/**
 * Makes an application, and its organisation, where there is none of this name.
 *
 * @throws ConflictError when the application belongs to another organisation.
 */
export async function ensureApplication(
  connection: pg.ClientBase,
  { applicationId, organisationId }: { applicationId: string; organisationId: string },
): Promise<void> {
  await ensureOrganisation(connection, organisationId);
  await connection.query(
    `insert into auth.applications (application_id, organisation_id) values ($1, $2)
     on conflict do nothing`,
    [applicationId, organisationId],
  );
  const { rows } = await connection.query<{ owner: string }>(
    "select organisation_id as owner from auth.applications where application_id = $1",
    [applicationId],
  );
  if (rows[0]?.owner !== organisationId) {
    throw new ConflictError(
      `Cannot add to the application: "${applicationId}" belongs to organisation ` +
        `"${rows[0]?.owner}", need an application of "${organisationId}" or a new one`,
    );
  }
}

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
