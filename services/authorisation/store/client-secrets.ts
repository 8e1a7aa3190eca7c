/** Stores the secrets of clients. A client has two while it changes from one to the other. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { ConflictError } from "./organisations.ts";

/** Two overlap while a client changes its secret. More would be forgotten. */
const secretsMax = 2;

/** For a query of `auth.clients`: the hashes of its secrets. */
export const secretHashesColumn = `
  array(select hash from auth.client_secrets where client_secrets.client_id = clients.client_id
    order by client_secrets.created_at, secret_id)`;

/**
 * Stores a secret, in a transaction of the caller. Returns its ID.
 *
 * @param hash see model/keyed-hash.ts and model/scrypt-hash.ts
 */
export async function insertSecret(
  connection: pg.ClientBase,
  clientId: string,
  hash: string,
): Promise<string> {
  const { rows } = await connection.query<{ secretId: string }>(
    `insert into auth.client_secrets (client_id, hash) values ($1, $2)
     returning secret_id as "secretId"`,
    [clientId, hash],
  );
  return rows[0]?.secretId ?? "";
}

/**
 * Adds a secret to a client that has one. Both are valid until one is removed.
 *
 * @throws ConflictError if there is no such client, if it is public, or if it has two already
 */
export async function addSecret(pool: pg.Pool, clientId: string, hash: string): Promise<string> {
  return await inTransaction(pool, async (connection) => {
    const count = await lockSecrets(connection, clientId);
    if (count >= secretsMax) {
      throw new ConflictError(
        `Cannot add a secret: client ${clientId} has ${count}, which is the most; remove one first`,
      );
    }
    return await insertSecret(connection, clientId, hash);
  });
}

/**
 * Removes a secret: from now on it is refused. Returns false if the client has no such secret.
 *
 * @throws ConflictError if there is no such client, if it is public, or if it is the last secret
 */
export async function removeSecret(
  pool: pg.Pool,
  clientId: string,
  secretId: string,
): Promise<boolean> {
  return await inTransaction(pool, async (connection) => {
    const count = await lockSecrets(connection, clientId);
    const { rowCount } = await connection.query(
      "delete from auth.client_secrets where client_id = $1 and secret_id = $2",
      [clientId, secretId],
    );
    if (rowCount === 1 && count === 1) {
      throw new ConflictError(
        `Cannot remove the secret: it is the only one of client ${clientId}; add another one first`,
      );
    }
    return rowCount === 1;
  });
}

/** Locks the secrets of a client. Returns how many there are. */
async function lockSecrets(connection: pg.ClientBase, clientId: string): Promise<number> {
  const { rows } = await connection.query<{ isPublic: boolean }>(
    `select is_public as "isPublic" from auth.clients where client_id = $1 for update`,
    [clientId],
  );
  const [client] = rows;
  if (client === undefined || client.isPublic) {
    const is = client === undefined ? "there is no such client" : "it is public and has none";
    throw new ConflictError(`Cannot change the secrets of client ${clientId}: ${is}`);
  }
  const { rowCount } = await connection.query(
    "select from auth.client_secrets where client_id = $1",
    [clientId],
  );
  return rowCount ?? 0;
}

/** A secret without its hash. */
export interface ListedSecret {
  secretId: string;
  /** Whether a person chose it. */
  isChosen: boolean;
  createdAt: Date;
}

/** Lists the secrets of a client, oldest first. */
export async function listSecrets(pool: pg.Pool, clientId: string): Promise<ListedSecret[]> {
  const { rows } = await pool.query<ListedSecret>(
    `select secret_id as "secretId", hash like '$scrypt$%' as "isChosen",
       created_at as "createdAt"
     from auth.client_secrets where client_id = $1 order by created_at, secret_id`,
    [clientId],
  );
  return rows;
}
