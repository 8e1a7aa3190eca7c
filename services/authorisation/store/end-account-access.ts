/** Changes an account so that nobody who is signed in with it stays so. */

import { addDenylistEntry } from "@stowage/access-token/postgres";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { subjectOf } from "../accounts/subject.ts";
import { subjectRevokedSeconds } from "../provider/token-lifetime.ts";
import { endSessionsOf } from "./end-sessions.ts";

/** Removes an account. Gives false when there is none with this login name. */
export async function removeAccount(pool: pg.Pool, loginName: string): Promise<boolean> {
  const removal = "delete from auth.accounts where login_name = $1";
  return await changeAccount(pool, `${removal} returning account_id as id`, [loginName]);
}

/** Changes a password. Gives false when there is no account with this login name. */
export async function changePassword(
  pool: pg.Pool,
  loginName: string,
  passwordHash: string,
): Promise<boolean> {
  const change = "update auth.accounts set password_hash = $2 where login_name = $1";
  return await changeAccount(pool, `${change} returning account_id as id`, [
    loginName,
    passwordHash,
  ]);
}

/** Leaves the account as it is. Gives false when there is none with this login name. */
export async function signOutEverywhere(pool: pg.Pool, loginName: string): Promise<boolean> {
  const lock = "select account_id as id from auth.accounts where login_name = $1 for update";
  return await changeAccount(pool, lock, [loginName]);
}

async function changeAccount(pool: pg.Pool, text: string, values: string[]): Promise<boolean> {
  return await inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<{ id: string }>(text, values);
    const [account] = rows;
    if (account === undefined) return false;
    const subject = subjectOf(account.id);
    // Sessions, grants, codes and refresh tokens. Grants come first: no token is issued from here.
    await connection.query(
      `delete from auth.provider_records where account_id = $1 and model = 'Grant'`,
      [subject],
    );
    await endSessionsOf(connection, subject);
    await connection.query("delete from auth.provider_records where account_id = $1", [subject]);
    // Times of issue and of signing in are in whole seconds: those of this second count too.
    const endsBefore = Math.floor(Date.now() / 1000) + 1;
    await addDenylistEntry(connection, {
      kind: "sub",
      value: subject,
      issuedBefore: endsBefore,
      expiresAt: endsBefore + subjectRevokedSeconds,
    });
    await connection.query(
      "update auth.accounts set signed_out_at = to_timestamp($2) where account_id = $1",
      [account.id, endsBefore],
    );
    return true;
  });
}
