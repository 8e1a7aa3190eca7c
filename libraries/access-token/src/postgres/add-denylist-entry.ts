import { checkEntry, type DenylistEntry } from "../denylist/entry.ts";
import { denylistKeptSeconds, denylistPrunedRowsMax } from "../limits.ts";
import type { PostgresQueryable } from "./client.ts";

/** Wakes the servers up. A hint only: whoever does not hear it comes by within a second. */
export const channel = "denylist_entries";

/**
 * Revokes tokens: stores the entry, for every server that follows the denylist. It is one
 * statement, so that it can be part of a transaction of yours; the entry is in force once that has
 * committed. Storing an entry twice does no harm.
 *
 * Some entries that expired more than a day ago are removed on the way. Writers do not wait for
 * each other because of that.
 *
 * Rejects with a TypeError for an entry that is not one, or that PostgreSQL cannot store because of
 * a NUL in it; otherwise with what the driver rejects with.
 */
export async function addDenylistEntry(
  database: PostgresQueryable,
  entry: DenylistEntry,
): Promise<void> {
  checkEntry(entry);
  const { kind, value, expiresAt = null } = entry;
  if (value.includes("\0")) {
    throw new TypeError("Cannot store the denylist entry: value must be without NUL");
  }
  const issuedBefore = entry.kind === "sub" ? entry.issuedBefore : null;
  await database.query(storeEntry, [kind, value, issuedBefore, expiresAt]);
}

const storeEntry = `
with expired as (
  select transaction_id, entry_id from denylist.entries
  where expires_at < extract(epoch from now())::bigint - ${denylistKeptSeconds}
  order by expires_at limit ${denylistPrunedRowsMax}
  for update skip locked),
pruned as (
  delete from denylist.entries using expired
  where (entries.transaction_id, entries.entry_id) = (expired.transaction_id, expired.entry_id)),
stored as (
  insert into denylist.entries (kind, value, issued_before, expires_at)
  values ($1::text, $2::text, $3::bigint, $4::bigint)
  returning entry_id)
select pg_notify('${channel}', '') from stored`;
