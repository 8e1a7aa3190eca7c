/**
 * Disables clients, accounts and organisations, and enables them again. Disabled ones get no
 * tokens, and their present tokens and sessions end.
 */
import { addDenylistEntry, prepareDenylist } from "@stowage/access-token/postgres";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { acceptedSecondsMax, subjectRevokedSeconds } from "../model/lifetimes.ts";
import { serviceAccountUrn, userPrefix } from "../model/subjects.ts";
import { endAccess, findAccountId } from "./accounts.ts";
import { revokeTokensForPeople } from "./authorisations.ts";
import { removeRecords } from "./provider-records.ts";

/** What can be disabled: its table, and the column by which operators name it. */
const kinds = {
  client: { table: "clients", column: "client_id" },
  account: { table: "accounts", column: "login_name" },
  organisation: { table: "organisations", column: "organisation_id" },
} as const;

export type DisabledKind = keyof typeof kinds;

/** Disables something and ends its access. Returns false if it does not exist. */
export async function disable(pool: pg.Pool, kind: DisabledKind, name: string): Promise<boolean> {
  await prepareDenylist(pool);
  return await inTransaction(pool, async (connection) => {
    if (!(await setDisabled(connection, kind, name, "coalesce(disabled_at, now())"))) return false;
    await endAccessOf[kind](connection, name);
    return true;
  });
}

/** Enables something. People must sign in again. Returns false if it does not exist. */
export async function enable(pool: pg.Pool, kind: DisabledKind, name: string): Promise<boolean> {
  return await inTransaction(pool, (connection) => setDisabled(connection, kind, name, "null"));
}

async function setDisabled(
  connection: pg.ClientBase,
  kind: DisabledKind,
  name: string,
  value: "null" | "coalesce(disabled_at, now())",
): Promise<boolean> {
  const { table, column } = kinds[kind];
  const { rowCount } = await connection.query(
    `update auth.${table} set disabled_at = ${value} where ${column} = $1`,
    [name],
  );
  return rowCount === 1;
}

const endAccessOf: Readonly<
  Record<DisabledKind, (connection: pg.ClientBase, name: string) => Promise<void>>
> = {
  client: endAccessOfClient,
  async account(connection, loginName) {
    await endAccess(connection, (await findAccountId(connection, loginName)) ?? "");
  },
  organisation: endAccessOfOrganisation,
};

/**
 * A running request may still issue a token, at most so much later. So all tokens that a program
 * gets for itself in this time are refused.
 */
const underWaySeconds = 60;

/** Ends what a client does for itself and for people. */
async function endAccessOfClient(connection: pg.ClientBase, clientId: string): Promise<void> {
  const grantIds = await removeRecords(connection, { clientId });
  await revokeSubject(connection, serviceAccountUrn(clientId));
  await revokeTokensForPeople(connection, { clientId, grantIds });
}

async function endAccessOfOrganisation(connection: pg.ClientBase, name: string): Promise<void> {
  const clients = "auth.clients join auth.applications using (application_id)";
  const accounts = `
    select account_id as id from auth.accounts
    where organisation_id = $1 and (
      exists (select from auth.provider_records records
        where records.account_id = '${userPrefix}' || accounts.account_id)
      or exists (select from auth.authorisations issued
        where issued.subject = '${userPrefix}' || accounts.account_id
          and issued_at > now() - make_interval(secs => ${acceptedSecondsMax})))
    order by account_id for update`;
  for (const id of await idsOf(connection, accounts, name)) await endAccess(connection, id);
  const ofOrganisation = (id: string, table: string) =>
    idsOf(connection, `select ${id} as id from ${table} where organisation_id = $1`, name);
  for (const id of await ofOrganisation("client_id", clients)) {
    await endAccessOfClient(connection, id);
  }
}

async function idsOf(connection: pg.ClientBase, text: string, name: string): Promise<string[]> {
  const { rows } = await connection.query<{ id: string }>(text, [name]);
  return rows.map(({ id }) => id);
}

/** Revokes the tokens of a client or service account that acts for itself. */
async function revokeSubject(connection: pg.ClientBase, subject: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  await addDenylistEntry(connection, {
    kind: "sub",
    value: subject,
    issuedBefore: now + underWaySeconds,
    expiresAt: now + subjectRevokedSeconds,
  });
}
