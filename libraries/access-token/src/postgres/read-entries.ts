/**
 * How the table is read so that nothing is missed.
 *
 * Transactions do not commit in the order of their numbers, nor in that of `entry_id`: a row that
 * is new can stand before rows that have been seen. So the position in the table is not a number
 * but a snapshot, which says of every transaction whether it had ended. New is what can be seen now
 * and could not be seen in that snapshot: each row once, however long its transaction took.
 *
 * A read takes several pages, each a statement with a snapshot of its own. The next read begins
 * from the snapshot of the first page. What that one sees, all later pages see too, and rows keep
 * their place in the order, so going through the pages passes all of it. What commits meanwhile is
 * seen or not; the next read sees it, perhaps for the second time, which does no harm.
 *
 * A standby is refused. How far it is behind cannot be told from it, and a snapshot taken there
 * does not list the running transactions.
 */
import { checkEntry, type DenylistEntry } from "../denylist/denylist.ts";
import { denylistPageEntries } from "../limits.ts";
import type { PostgresQueryable } from "./connection.ts";

export interface Page {
  /** What the snapshot is of: another server, or another table of this name, has another. */
  readonly source: string;
  readonly snapshot: string;
  readonly entries: readonly DenylistEntry[];
}

/** Before every transaction. */
export const firstSnapshot = "1:1:";

interface Since {
  readonly snapshot: string;
  /** Entries that had expired by then are left out. Unix time in seconds. */
  readonly expiresFrom: number;
}

/** The entries that the snapshot does not see, in one page or more. */
export async function* readEntries(
  database: PostgresQueryable,
  { snapshot, expiresFrom }: Since,
): AsyncGenerator<Page> {
  // Every transaction under the first number in a snapshot had ended.
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

// One row of texts, whatever parsers of column types the program has set.
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
  // A row that a newer version may know how to obey cannot be passed over.
  checkEntry(entry);
  return entry;
}
