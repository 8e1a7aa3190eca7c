/**
 * Disables clients, accounts and organisations, and enables them again. Disabled ones get no
 * tokens, and their present tokens and sessions end.
 */
import { prepareDenylist } from "@stowage/access-token/postgres";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { acceptedSecondsMax } from "../model/lifetimes.ts";
import { userPrefix } from "../model/subjects.ts";
import { findAccountId, signOut } from "./accounts.ts";
import { endAccess } from "./end-access.ts";

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
  async client(connection, clientId) {
    await endAccess(connection, { clientId });
  },
  async account(connection, loginName) {
    await signOut(connection, (await findAccountId(connection, loginName)) ?? "");
  },
  organisation: endAccessOfOrganisation,
};

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
  for (const id of await idsOf(connection, accounts, name)) await signOut(connection, id);
  const ofOrganisation = `select client_id as id from ${clients} where organisation_id = $1`;
  for (const clientId of await idsOf(connection, ofOrganisation, name)) {
    await endAccess(connection, { clientId });
  }
}

async function idsOf(connection: pg.ClientBase, text: string, name: string): Promise<string[]> {
  const { rows } = await connection.query<{ id: string }>(text, [name]);
  return rows.map(({ id }) => id);
}
