/**
 * Stores what anybody can create without signing in: pushed requests, sign-ins, codes of devices,
 * and sessions in which nobody is signed in. The number that is pending is limited, for each
 * address and for each client.
 */
import type pg from "pg";
import { BusyError } from "../limits/busy-error.ts";
import { keyHash, type ProviderRecord } from "./provider-records.ts";

/** The limits, for each model. */
export interface PendingLimits {
  /** Of one address; undefined: no limit. */
  addressMax: number | undefined;
  /**
   * Of one client. Addresses at which nothing else is pending may create as many again, so that a
   * few addresses cannot lock all others out of a client.
   */
  clientMax: number;
}

interface PendingRecord extends ProviderRecord {
  /** The address or network that the request came from. */
  address: string;
}

/** By then, some of the pending records have expired. */
const retrySeconds = 60;

/**
 * Adds or replaces a record. Concurrent calls may exceed a limit by as many as there are.
 *
 * @throws BusyError if the record is new and a limit is reached
 */
export async function storePendingRecord(
  database: pg.Pool | pg.ClientBase,
  record: PendingRecord,
  limits: PendingLimits,
): Promise<void> {
  const { rowCount } = await database.query({
    name: "store-pending-record",
    text: `
      with pending as (
        select
          (select count(*) from (select from auth.provider_records
            where address = $8 and model = $1 and expires_at > now() limit $9) as found)
            as of_address,
          (select count(*) from (select from auth.provider_records
            where client_id = $7 and model = $1 and expires_at > now() and address is not null
            limit 2 * $10::int) as found) as of_client
      )
      insert into auth.provider_records (model, id_hash, payload, expires_at, grant_id, uid,
        user_code, account_id, client_id, address)
      select $1, $2::bytea, $3::json, now() + make_interval(secs => $4), $11, $5, $6, $12, $7, $8
      from pending
      where ($9::int is null or of_address < $9)
          and (of_client < $10 or (of_address = 0 and of_client < 2 * $10::int))
        or exists (select from auth.provider_records where model = $1 and id_hash = $2)
      on conflict (model, id_hash) do update set payload = excluded.payload,
        expires_at = excluded.expires_at, grant_id = excluded.grant_id, uid = excluded.uid,
        user_code = excluded.user_code, account_id = excluded.account_id`,
    values: [
      record.model,
      keyHash(record),
      record.payload,
      record.expiresInSeconds,
      record.uid,
      record.userCode,
      record.clientId,
      record.address,
      limits.addressMax,
      limits.clientMax,
      record.grantId,
      record.accountId,
    ],
  });
  if (rowCount === 1) return;
  const description = "too many requests of this address or client are pending";
  throw new BusyError(429, description, retrySeconds);
}
