/** Stores the secrets of clients. A client has two while it changes from one to the other. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { ConflictError } from "./organisations.ts";

/** Two overlap while a client changes its secret. More would be forgotten. */
const secretsMax = 2;

/** A secret to store. */
export interface HashedSecret {
  /** See model/keyed-hash.ts and model/scrypt-hash.ts. */
  hash: string;
  /** Whether a person chose it. False also if that is not known. */
  isChosen: boolean;
}

/** A secret of a client, as requests are compared with it. */
export interface ClientSecret extends HashedSecret {
  /** UUID. Null: a program of the version before has added the client. */
  secretId: string | null;
}

/** For a query of `auth.clients`: its secrets as a JSON array of {@link ClientSecret}. */
export const secretsColumn = `
  case when secret_hash is null then '[]' else coalesce(
    (select json_agg(json_build_object('secretId', secret_id, 'hash', hash,
        'isChosen', is_chosen) order by client_secrets.created_at, secret_id)
      from auth.client_secrets where client_secrets.client_id = clients.client_id),
    json_build_array(json_build_object('secretId', null, 'hash', secret_hash, 'isChosen', false))
  ) end`;

/**
 * The hash that programs of the version before find in `auth.clients`. It tells them that the
 * client has a secret, and no secret matches it.
 */
export const storedElsewhere = `$scrypt$ln=14,r=8,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

/** Stores a secret, in a transaction of the caller. Returns its ID. */
export async function insertSecret(
  connection: pg.ClientBase,
  clientId: string,
  { hash, isChosen }: HashedSecret,
): Promise<string> {
  const { rows } = await connection.query<{ secretId: string }>(
    `insert into auth.client_secrets (client_id, hash, is_chosen) values ($1, $2, $3)
     returning secret_id as "secretId"`,
    [clientId, hash, isChosen],
  );
  return rows[0]?.secretId ?? "";
}

/**
 * Adds a secret to a client that has one. Both are valid until one is removed.
 *
 * @throws ConflictError if there is no such client, if it is public, or if it has two already
 */
export async function addSecret(
  pool: pg.Pool,
  clientId: string,
  secret: HashedSecret,
): Promise<string> {
  return await inTransaction(pool, async (connection) => {
    const count = await lockSecrets(connection, clientId);
    if (count >= secretsMax) {
      throw new ConflictError(
        `Cannot add a secret: client ${clientId} has ${count}, which is the most; remove one first`,
      );
    }
    return await insertSecret(connection, clientId, secret);
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
  const { rows } = await connection.query<{ before: string | null }>(
    "select secret_hash as before from auth.clients where client_id = $1 for update",
    [clientId],
  );
  const [client] = rows;
  if (client === undefined || client.before === null) {
    const is = client === undefined ? "there is no such client" : "it is public and has none";
    throw new ConflictError(`Cannot change the secrets of client ${clientId}: ${is}`);
  }
  const { rows: secrets } = await connection.query(
    "select from auth.client_secrets where client_id = $1",
    [clientId],
  );
  // From now on, only the secrets in their own table count.
  if (client.before !== storedElsewhere) {
    if (secrets.length === 0) {
      await insertSecret(connection, clientId, { hash: client.before, isChosen: false });
    }
    await connection.query("update auth.clients set secret_hash = $2 where client_id = $1", [
      clientId,
      storedElsewhere,
    ]);
  }
  return Math.max(secrets.length, 1);
}

/** A secret without its hash. */
export interface ListedSecret {
  secretId: string;
  isChosen: boolean;
  createdAt: Date;
}

/** Lists the secrets of a client, oldest first. */
export async function listSecrets(pool: pg.Pool, clientId: string): Promise<ListedSecret[]> {
  const { rows } = await pool.query<ListedSecret>(
    `select secret_id as "secretId", is_chosen as "isChosen", created_at as "createdAt"
     from auth.client_secrets where client_id = $1 order by created_at, secret_id`,
    [clientId],
  );
  return rows;
}

/** Replaces the hash of the same secret. */
export async function replaceHash(pool: pg.Pool, secretId: string, hash: string): Promise<void> {
  await pool.query("update auth.client_secrets set hash = $2 where secret_id = $1", [
    secretId,
    hash,
  ]);
}
