/** Stores what oidc-provider keeps between requests, each record under the hash of its ID. */
import { hash } from "node:crypto";
import type pg from "pg";
import { hashOfHandle } from "../model/device-code-handles.ts";

/** The longest payload, as JSON. Requests make payloads of up to half of that. */
export const recordBytesMax = 64 * 1024;

interface RecordKey {
  /** oidc-provider's name of its kind: `Session`, `RefreshToken`, … */
  model: string;
  /** The secret ID. Only its hash is stored. */
  id: string;
}

export interface ProviderRecord extends RecordKey {
  /** JSON, at most {@link recordBytesMax} bytes. */
  payload: string;
  /** Seconds from now; undefined: it does not expire. */
  expiresInSeconds: number | undefined;
  grantId?: string | undefined;
  uid?: string | undefined;
  userCode?: string | undefined;
  accountId?: string | undefined;
  clientId?: string | undefined;
  /** The caller's address or network, if anybody can make such records; see removeSurplus. */
  address?: string | undefined;
}

export interface FoundRecord {
  idHash: Buffer;
  payload: Record<string, unknown>;
  /** How long ago it was consumed, by the clock of the database; null: not consumed. */
  consumedSeconds: number | null;
}

/** Adds or replaces a record. */
export async function storeRecord(
  database: pg.Pool | pg.ClientBase,
  record: ProviderRecord,
): Promise<void> {
  await database.query({
    name: "store-provider-record",
    text: `
      insert into auth.provider_records (model, id_hash, payload, expires_at, grant_id, uid,
        user_code, account_id, client_id, address)
      values ($1, $2, $3, now() + make_interval(secs => $4), $5, $6, $7, $8, $9, $10)
      on conflict (model, id_hash) do update set payload = excluded.payload,
        expires_at = excluded.expires_at, grant_id = excluded.grant_id, uid = excluded.uid,
        user_code = excluded.user_code, account_id = excluded.account_id,
        client_id = excluded.client_id, address = excluded.address`,
    values: [
      record.model,
      keyHash(record),
      record.payload,
      record.expiresInSeconds,
      record.grantId,
      record.uid,
      record.userCode,
      record.accountId,
      record.clientId,
      record.address,
    ],
  });
}

/** Finds a record by its ID, expired or not. */
export async function findRecord(
  pool: pg.Pool,
  { model, id }: RecordKey,
): Promise<FoundRecord | undefined> {
  const { rows } = await pool.query<FoundRecord>({
    name: "find-provider-record",
    text: `${select} where model = $1 and id_hash = $2`,
    values: [model, keyHash({ model, id })],
  });
  return rows[0];
}

/** Finds a record by a value that is not secret; of several, the one that expires last. */
export async function findRecordBy(
  pool: pg.Pool,
  model: string,
  column: "uid" | "user_code",
  value: string,
): Promise<FoundRecord | undefined> {
  const { rows } = await pool.query<FoundRecord>({
    name: `find-provider-record-by-${column}`,
    text: `${select} where ${column} = $2 and model = $1 order by expires_at desc limit 1`,
    values: [model, value],
  });
  return rows[0];
}

/**
 * Marks a record as used. Of concurrent calls, one succeeds and returns undefined. The others
 * return the grant that the record belongs to.
 */
export async function consumeRecord(
  pool: pg.Pool,
  { model, id }: RecordKey,
): Promise<{ grantId: string | null } | undefined> {
  const key = [model, recordIdHash(id)];
  const { rowCount } = await pool.query({
    name: "consume-provider-record",
    text: `
      update auth.provider_records set consumed_at = now()
      where model = $1 and id_hash = $2 and consumed_at is null`,
    values: key,
  });
  if (rowCount === 1) return undefined;
  const { rows } = await pool.query<{ grantId: string | null }>(
    `select grant_id as "grantId" from auth.provider_records where model = $1 and id_hash = $2`,
    key,
  );
  return rows[0] ?? { grantId: null };
}

/** Removes a record if it exists. */
export async function removeRecord(
  database: pg.Pool | pg.ClientBase,
  { model, id }: RecordKey,
): Promise<void> {
  await database.query("delete from auth.provider_records where model = $1 and id_hash = $2", [
    model,
    recordIdHash(id),
  ]);
}

/** Removes a record and returns its payload, once; undefined if there is none, or it expired. */
export async function takeRecord(
  pool: pg.Pool,
  key: RecordKey,
): Promise<Record<string, unknown> | undefined> {
  const { rows } = await pool.query<{ payload: Record<string, unknown> }>({
    name: "take-provider-record",
    text: `
      delete from auth.provider_records
      where model = $1 and id_hash = $2 and expires_at > now() returning payload`,
    values: [key.model, recordIdHash(key.id)],
  });
  return rows[0]?.payload;
}

/**
 * Removes the grants of a person, of a client, or of a person to a client, with the codes and
 * refresh tokens that rest on them. Returns the IDs of the grants.
 *
 * It removes the grants first: from then on no token is issued, see {@link RecordAuthorisation}.
 * All transactions lock in this order: account or client, its consents, its sessions, the clients
 * to tell of their end, grants, other records.
 */
export async function removeGrants(
  connection: pg.ClientBase,
  { accountId, clientId }: { accountId?: string | undefined; clientId?: string | undefined },
): Promise<string[]> {
  const { rows } = await connection.query<{ grantId: string }>(
    // A delete locks its rows in any order, so two of them could deadlock.
    `with locked as materialized (
       select id_hash from auth.provider_records where model = 'Grant' and ${isOfOwner}
       order by id_hash for update)
     delete from auth.provider_records
     where model = 'Grant' and id_hash in (select id_hash from locked)
     returning grant_id as "grantId"`,
    [accountId, clientId],
  );
  await connection.query(
    // Interactions remain: they lead to another grant.
    `delete from auth.provider_records
     where grant_id is not null and model <> 'Interaction' and ${isOfOwner}`,
    [accountId, clientId],
  );
  return rows.map(({ grantId }) => grantId);
}

const isOfOwner = "($1::text is null or account_id = $1) and ($2::text is null or client_id = $2)";

/**
 * Removes all records of a person or of a client, the grants first: see {@link removeGrants}.
 * Returns the IDs of the grants.
 */
export async function removeRecords(
  connection: pg.ClientBase,
  owner: { accountId: string; clientId?: undefined } | { clientId: string; accountId?: undefined },
): Promise<string[]> {
  const grantIds = await removeGrants(connection, owner);
  await connection.query(`delete from auth.provider_records where ${isOfOwner}`, [
    owner.accountId,
    owner.clientId,
  ]);
  return grantIds;
}

const select = `
  select id_hash as "idHash", payload,
    extract(epoch from now() - consumed_at)::float8 as "consumedSeconds"
  from auth.provider_records`;

/** The hash of the ID. A device code may be given by its handle. */
function keyHash({ model, id }: RecordKey): Buffer {
  return (model === "DeviceCode" ? hashOfHandle(id) : undefined) ?? recordIdHash(id);
}

/** What is stored instead of an ID. */
export function recordIdHash(id: string): Buffer {
  return hash("sha256", id, "buffer");
}

/** Removing a batch takes well under a second. */
const rowsMax = 1_000;

/** Removes a batch of expired records. Returns how many. Safe to run concurrently. */
export async function pruneProviderRecords(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from auth.provider_records where (model, id_hash) in (
       select model, id_hash from auth.provider_records
       where expires_at < now()
       order by expires_at limit ${rowsMax}
       for update skip locked)`,
  );
  return rowCount ?? 0;
}

/**
 * Removes the oldest of the records that anybody can make, beyond `pendingMax`: sign-ins that are
 * not complete, pushed requests, codes of devices. Nobody is refused, and who makes many removes
 * only their own: of the address with the most records, the oldest go first.
 */
export async function removeSurplus(pool: pg.Pool, pendingMax: number): Promise<number> {
  const { rows } = await pool.query<{ surplus: number }>(
    "select count(*)::int - $1 as surplus from auth.provider_records where address is not null",
    [pendingMax],
  );
  const surplus = rows[0]?.surplus ?? 0;
  if (surplus <= 0) return 0;
  const { rowCount } = await pool.query(
    `delete from auth.provider_records where (model, id_hash) in (
       select model, id_hash from (
         select model, id_hash,
           row_number() over (partition by address order by expires_at desc) as place
         from auth.provider_records where address is not null
       ) ranked
       order by place desc limit $1)`,
    [surplus],
  );
  return rowCount ?? 0;
}
