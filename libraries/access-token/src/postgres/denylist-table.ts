import { checkEntry, type DenylistEntry } from "../denylist/denylist.ts";
import { denylistKeptSeconds, denylistPrunedRowsMax } from "../limits.ts";
import type { PostgresQueryable } from "./connection.ts";

/**
 * Creates the table `denylist.entries` if it does not exist. Run it when a program starts; many
 * programs may do so at once. The right to create a schema is needed only if the table is missing.
 *
 * The role that creates the table owns it. Other roles need `usage` on the schema and `select` to
 * read; to add entries, also `insert`, `update` and `delete`.
 *
 * If the role may update, rows restored from a dump get a new transaction ID, because the IDs of
 * another server have no meaning here.
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

// `transaction_id` must always have its default, or servers would miss rows. SQL cannot express it.
const createTable = `
do $$ begin
  -- If two sessions run "create ... if not exists" at once, one would fail.
  perform pg_advisory_xact_lock(hashtextextended('denylist.entries', 0));
  -- "create schema if not exists" needs the right to create schemas even if the schema exists.
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
    -- Servers read in this order. It omits value, which can be too long for an index entry.
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

// Every server would read such rows again each time, until this server's transaction IDs have
// passed theirs.
const adoptRestoredRows = `
update denylist.entries set transaction_id = pg_current_xact_id()
where transaction_id >= pg_snapshot_xmax(pg_current_snapshot())`;

/** Notifies the servers of new entries. A server that misses it finds them within a second. */
export const channel = "denylist_entries";

/**
 * Revokes tokens: stores the entry for every server that reads the denylist. It is one statement
 * and can be part of your own transaction; the entry takes effect when that commits. Storing an
 * entry twice does no harm.
 *
 * It also removes some entries that expired more than a day ago, without waiting for other writers.
 *
 * Rejects with a TypeError for an invalid entry, or if its value contains a NUL, which PostgreSQL
 * cannot store. Otherwise it rejects with the driver's error.
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
