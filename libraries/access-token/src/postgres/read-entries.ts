/**
 * Reads the table so that no entry is missed.
 *
 * Transactions do not commit in the order of their IDs or of `entry_id`, so a new row can sort
 * before rows that were read already. The position in the table is therefore a snapshot: it tells
 * for every transaction whether it had ended. New rows are those that are visible now and were not
 * visible in that snapshot.
 *
 * A read consists of pages, each a statement with its own snapshot. The next read starts from the
 * snapshot of the first page. Later pages see every row that the first page sees, and the order of
 * rows does not change, so the pages together return them all. They may also return rows that
 * commit meanwhile; the next read returns these again, which does no harm.
 *
 * A standby is refused: it does not tell how far it is behind, and its snapshots do not list the
 * running transactions.
 */
import { checkEntry, type DenylistEntry } from "../denylist/denylist.ts";
import { denylistPageEntries } from "../limits.ts";
import type { PostgresQueryable } from "./connection.ts";

export interface Page {
  /** Identifies the server and the table that the snapshot belongs to. */
  readonly source: string;
  readonly snapshot: string;
  readonly entries: readonly DenylistEntry[];
}

/** A snapshot that sees no transaction. */
export const firstSnapshot = "1:1:";

interface Since {
  readonly snapshot: string;
  /** Entries that expired before are left out. Unix time in seconds. */
  readonly expiresFrom: number;
}

/** Yields the entries that are not visible in the snapshot, in one page or more. */
export async function* readEntries(
  database: PostgresQueryable,
  { snapshot, expiresFrom }: Since,
): AsyncGenerator<Page> {
  // Every transaction below the first number in a snapshot had ended.
  let [transactionId = ""] = snapshot.split(":");
  let entryId = "0";
  for (;;) {
    const values = [transactionId, entryId, snapshot, expiresFrom];
    const page = readPage((await database.query(selectPage, values)).rows);
    yield { ...page, entries: page.rows.map(readEntry) };
    const last = page.rows.at(-1);
    if (last === undefined || page.rows.length < denylistPageEntries) return;
    [transactionId, entryId] = last;
  }
}

type Row = readonly [
  transactionId: string,
  entryId: string,
  kind: string,
  value: string,
  issuedBefore: number | null,
  expiresAt: number | null,
];

// All columns are text, because the program may have changed the driver's type parsers.
const selectPage = `
select pg_is_in_recovery()::text as "isStandby",
  concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
    pg_relation_filenode('denylist.entries')) as source,
  pg_current_snapshot()::text as snapshot,
  (select json_agg(json_build_array(
       transaction_id::text, entry_id::text, kind, value, issued_before, expires_at)
     order by transaction_id, entry_id)
   from (
     select * from denylist.entries
     where (transaction_id, entry_id) > ($1::xid8, $2::bigint)
       and not pg_visible_in_snapshot(transaction_id, $3::pg_snapshot)
       and (expires_at is null or expires_at >= $4::bigint)
     order by transaction_id, entry_id limit ${denylistPageEntries}
   ) as page)::text as rows`;

interface PageRow {
  readonly isStandby: string;
  readonly source: string;
  readonly snapshot: string;
  readonly rows: string | null;
}

function readPage([page]: unknown[]): { source: string; snapshot: string; rows: readonly Row[] } {
  const { isStandby, source, snapshot, rows } = page as PageRow;
  if (isStandby !== "false") {
    throw new Error("Cannot follow the denylist: the server is a standby, need the primary");
  }
  return { source, snapshot, rows: JSON.parse(rows ?? "[]") };
}

function readEntry([, , kind, value, issuedBefore, expiresAt]: Row): DenylistEntry {
  const entry = {
    kind,
    value,
    ...(issuedBefore !== null && { issuedBefore }),
    ...(expiresAt !== null && { expiresAt }),
  } as DenylistEntry;
  // An unknown row, perhaps of a newer version, must not be skipped.
  checkEntry(entry);
  return entry;
}
