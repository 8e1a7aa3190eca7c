import { checkEntry, type DenylistEntry } from "../denylist/denylist.ts";
import { denylistKeptSeconds, denylistPrunedRowsMax } from "../limits.ts";

/** Runs statements: a `Pool`, a `Client` or a `PoolClient` of `pg`, or of a similar driver. */
export interface PostgresQueryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * Creates the table `denylist.entries` if it does not exist. Run it when a program starts; many
 * programs may do so at once. The right to create a schema is needed only if it is missing.
 *
 * The role that creates the table owns it. Other roles need `usage` on the schema and `select` to
 * read; to add entries, also `insert`, `update` and `delete`.
 */
export async function prepareDenylist(database: PostgresQueryable): Promise<void> {
  const { rows } = await database.query("select to_regclass('denylist.entries')::text as name");
  if ((rows as { name: string | null }[])[0]?.name === null) await database.query(createTable);
}

const createTable = `
do $$ begin
  -- If two sessions run "create ... if not exists" at once, one would fail.
  perform pg_advisory_xact_lock(hashtextextended('denylist.entries', 0));
  -- "create schema if not exists" needs the right to create schemas even if the schema exists.
  if not exists (select from pg_namespace where nspname = 'denylist') then
    create schema denylist;
  end if;
  create table if not exists denylist.entries (
    entry_id bigint generated always as identity primary key,
    kind text not null check (kind in ('jti', 'sid', 'kid', 'sub', 'client')),
    value text not null check (octet_length(value) between 1 and 8192),
    subject text check (octet_length(subject) between 1 and 8192),
    issued_before bigint check (issued_before between 0 and 9007199254740991),
    expires_at bigint check (expires_at between 0 and 9007199254740991),
    created_at timestamptz not null default now(),
    check ((kind in ('sub', 'client')) = (issued_before is not null)
      and (subject is null or kind = 'client'))
  );
  -- Servers read in this order. It omits value, which can be too long for an index entry.
  create index if not exists entries_by_time on denylist.entries (created_at, entry_id);
  create index if not exists entries_by_expiry on denylist.entries (expires_at)
    where expires_at is not null;
  comment on table denylist.entries is 'Revoked access tokens';
  comment on column denylist.entries.subject is 'With kind client: only tokens of this subject';
  comment on column denylist.entries.issued_before is
    'Unix time in seconds, with kinds sub and client';
  comment on column denylist.entries.expires_at is 'Unix time in seconds; null: kept for ever';
end $$`;

/**
 * Revokes tokens: stores the entry for every server that reads the denylist. It is one statement
 * and can be part of your own transaction; the entry takes effect when that commits, which must be
 * within a minute of its begin. Storing an entry twice does no harm.
 *
 * It also removes some entries that expired more than a day ago, without waiting for other writers.
 *
 * Rejects with a TypeError for an invalid entry, or if its texts contain a NUL, which PostgreSQL
 * cannot store. Otherwise it rejects with the driver's error.
 */
export async function addDenylistEntry(
  database: PostgresQueryable,
  entry: DenylistEntry,
): Promise<void> {
  checkEntry(entry);
  const { kind, value, subject = null, issuedBefore = null, expiresAt = null } = columnsOf(entry);
  if (value.includes("\0") || subject?.includes("\0")) {
    throw new TypeError("Cannot store the denylist entry: value must be without NUL");
  }
  await database.query(storeEntry, [kind, value, subject, issuedBefore, expiresAt]);
}

interface Columns {
  readonly kind: string;
  readonly value: string;
  readonly subject?: string | undefined;
  readonly issuedBefore?: number | undefined;
  readonly expiresAt?: number | undefined;
}

function columnsOf(entry: DenylistEntry): Columns {
  const { kind, value, expiresAt } = entry;
  if (kind === "sub") return { kind, value, issuedBefore: entry.issuedBefore, expiresAt };
  return kind === "client" ? entry : { kind, value, expiresAt };
}

const storeEntry = `
with expired as (
  select entry_id, created_at from denylist.entries
  where expires_at < extract(epoch from now())::bigint - ${denylistKeptSeconds}
  order by expires_at limit ${denylistPrunedRowsMax}
  for update skip locked),
pruned as (
  delete from denylist.entries using expired
  where (entries.created_at, entries.entry_id) = (expired.created_at, expired.entry_id))
insert into denylist.entries (kind, value, subject, issued_before, expires_at)
values ($1::text, $2::text, $3::text, $4::bigint, $5::bigint)`;
