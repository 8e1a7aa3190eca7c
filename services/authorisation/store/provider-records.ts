/** What oidc-provider keeps between requests, each record under the hash of its ID. */
import { hash } from "node:crypto";
import type pg from "pg";

/** Longest payload, as JSON. A request can hardly make one of half that size. */
export const recordBytesMax = 64 * 1024;

/** What tells one record from another. */
export interface RecordKey {
  /** oidc-provider's name of what it is: `Session`, `RefreshToken`, … */
  model: string;
  /** What its bearer shows. It is hashed here and stored nowhere. */
  id: string;
}

/** What is kept. */
export interface ProviderRecord extends RecordKey {
  /** JSON, at most {@link recordBytesMax} bytes. */
  payload: string;
  /** Seconds from now; undefined: it does not expire. */
  expiresInSeconds: number | undefined;
  grantId: string | undefined;
  uid: string | undefined;
  userCode: string | undefined;
  accountId: string | undefined;
  clientId: string | undefined;
}

/** A record as found. */
export interface FoundRecord {
  payload: Record<string, unknown>;
  /** Unix time in seconds; null: not yet. */
  consumedAt: number | null;
}

/** Stores a record, or puts it in the place of the one with this ID. */
export async function storeRecord(
  database: pg.Pool | pg.ClientBase,
  record: ProviderRecord,
): Promise<void> {
  await database.query({
    name: "store-provider-record",
    text: `
      insert into auth.provider_records (model, id_hash, payload, expires_at, grant_id, uid,
        user_code, account_id, client_id)
      values ($1, $2, $3, now() + make_interval(secs => $4), $5, $6, $7, $8, $9)
      on conflict (model, id_hash) do update set payload = excluded.payload,
        expires_at = excluded.expires_at, grant_id = excluded.grant_id, uid = excluded.uid,
        user_code = excluded.user_code, account_id = excluded.account_id,
        client_id = excluded.client_id`,
    values: [
      record.model,
      recordIdHash(record.id),
      record.payload,
      record.expiresInSeconds,
      record.grantId,
      record.uid,
      record.userCode,
      record.accountId,
      record.clientId,
    ],
  });
}

/** Finds a record, expired or not, by what its bearer shows. */
export async function findRecord(
  pool: pg.Pool,
  { model, id }: RecordKey,
): Promise<FoundRecord | undefined> {
  const { rows } = await pool.query<FoundRecord>({
    name: "find-provider-record",
    text: `${select} where model = $1 and id_hash = $2`,
    values: [model, recordIdHash(id)],
  });
  return rows[0];
}

/** Finds a record by a name that is no secret, the one that lasts longest where there are more. */
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
 * Marks a record as used. Of several that do so at once, one succeeds.
 *
 * Gives undefined to that one, and to any other the grant that the record is of.
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

/** Removes a record; one that is not there is removed already. */
export async function removeRecord(
  database: pg.Pool | pg.ClientBase,
  { model, id }: RecordKey,
): Promise<void> {
  await database.query("delete from auth.provider_records where model = $1 and id_hash = $2", [
    model,
    recordIdHash(id),
  ]);
}

/** Removes all records of one kind that came of a grant. */
export async function removeRecordsOfGrant(
  pool: pg.Pool,
  model: string,
  grantId: string,
): Promise<void> {
  await pool.query("delete from auth.provider_records where grant_id = $2 and model = $1", [
    model,
    grantId,
  ]);
}

const select = `
  select payload, extract(epoch from consumed_at)::float8 as "consumedAt"
  from auth.provider_records`;

/** What is stored in place of an ID. */
export function recordIdHash(id: string): Buffer {
  return hash("sha256", id, "buffer");
}

/** Rows removed in one go: well under a second of work, whoever else uses the table. */
const rowsMax = 10_000;

/**
 * Removes records that have expired, at most 10,000, and gives how many. Processes that do so at
 * the same moment take different ones.
 */
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
