/** Adds organisations and applications, together with the first thing that belongs to them. */
import type pg from "pg";

/** Something conflicts with what is stored; the message says what. */
export class ConflictError extends Error {
  override name = "ConflictError";
}

/**
 * Adds an application and its organisation if they are new.
 *
 * @throws ConflictError if the application belongs to another organisation
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

export interface ListedOrganisation {
  organisationId: string;
  createdAt: Date;
  /** Null: it is enabled. */
  disabledAt: Date | null;
  /** How many it has. */
  accounts: number;
  applications: number;
}

/** Lists all organisations, oldest first. */
export async function listOrganisations(pool: pg.Pool): Promise<ListedOrganisation[]> {
  const { rows } = await pool.query<ListedOrganisation>(`
    select organisation_id as "organisationId", created_at as "createdAt",
      disabled_at as "disabledAt",
      (select count(*)::int from auth.accounts
        where accounts.organisation_id = organisations.organisation_id) as accounts,
      (select count(*)::int from auth.applications
        where applications.organisation_id = organisations.organisation_id) as applications
    from auth.organisations order by created_at, organisation_id`);
  return rows;
}

/** Adds an organisation if it is new. */
export async function ensureOrganisation(
  connection: pg.ClientBase,
  organisationId: string,
): Promise<void> {
  await connection.query(
    "insert into auth.organisations (organisation_id) values ($1) on conflict do nothing",
    [organisationId],
  );
}
