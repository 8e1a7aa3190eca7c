import { checkEntry, type DenylistEntry } from "../denylist/denylist.ts";
import { denylistKeptSeconds, denylistPrunedRowsMax } from "../limits.ts";
import type { PostgresQueryable } from "./connection.ts";

/**
 * Makes the table `denylist.entries`, unless it is there: run it when a program starts. Many may do
 * so at the same moment. It needs the rights to create a schema only where the table is missing.
 *
 * The table belongs to whoever makes it. Another role that reads the denylist needs `usage` of the
 * schema and `select`; one that adds to it, `insert`, `update` and `delete` as well.
 *
 * Rows that came from another server, out of a dump, are made rows of this one, where the role may
 * update: a server's numbers of transactions mean nothing on another.
 */
export async function prepareDenylist(database: PostgresQueryable): Promise<void> {
  if (await isTrue(database, isMissing)) await database.query(createTable);
  if (await isTrue(database, mayUpdate)) await database.query(adoptRestoredRows);
}

async function isTrue(database: PostgresQueryable, condition: string): Promise<boolean> {
  const { rows } = await database.query(`select (${condition})::text as answer`);
  return (rows as { answer: string }[])[0]?.answer === "true";
}

const isMissing = "to_regclass('denylist.entries') is null";

// What this cannot express is that `transaction_id` is always the default. That the servers miss
// no row rests on it.
const createTable = `
do $$ begin
  -- Of two that "create ... if not exists" at the same moment, one would fail.
  perform pg_advisory_xact_lock(hashtextextended('denylist.entries', 0));
  -- Even where the schema exists, "create schema if not exists" needs the right to create one.
  if not exists (select from pg_namespace where nspname = 'denylist') then
    create schema denylist;
  end if;
  if to_regclass('denylist.entries') is not null then return; end if;
  create table denylist.entries (
    transaction_id xid8 not null default pg_current_xact_id(),
    entry_id bigint generated always as identity,
    kind text not null check (kind in ('jti', 'sid', 'kid', 'sub')),
    value text not null check (octet_length(value) between 1 and 8192),
    issued_before bigint check (issued_before between 0 and 9007199254740991),
    expires_at bigint check (expires_at between 0 and 9007199254740991),
    created_at timestamptz not null default now(),
    -- The order in which servers read it. Longer values than a key may have stay out of it.
    primary key (transaction_id, entry_id),
    check ((kind = 'sub') = (issued_before is not null))
  );
  create index entries_by_expiry on denylist.entries (expires_at) where expires_at is not null;
  comment on table denylist.entries is 'Revoked access tokens';
  comment on column denylist.entries.issued_before is 'Unix time in seconds, with kind sub';
  comment on column denylist.entries.expires_at is 'Unix time in seconds; null: kept for ever';
end $$`;

const mayUpdate = `
not current_setting('transaction_read_only')::boolean
and has_table_privilege('denylist.entries', 'select')
and has_table_privilege('denylist.entries', 'update')`;

// Such rows are right but dear: every server would read them again at every turn, until the
// transactions of this server have reached their numbers.
const adoptRestoredRows = `
update denylist.entries set transaction_id = pg_current_xact_id()
where transaction_id >= pg_snapshot_xmax(pg_current_snapshot())`;

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
