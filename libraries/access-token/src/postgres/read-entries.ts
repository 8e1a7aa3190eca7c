/**
 * Reads the table so that no entry is missed. Transactions do not commit in the order in which they
 * begin, so each read goes back by an overlap, and may return entries that were read before, which
 * does no harm. A transaction must commit within the overlap.
 *
 * A standby is refused: it does not tell how far it is behind.
 */
import { checkEntry, type DenylistEntry } from "../denylist/denylist.ts";
import { denylistOverlapSeconds, denylistPageEntries } from "../limits.ts";
import type { PostgresQueryable } from "./denylist-table.ts";

interface Page {
  /** When it was read, by the server's clock. Unix time in seconds. */
  readonly readAt: string;
  readonly entries: readonly DenylistEntry[];
}

/** Yields the entries that are new since a read, or all, in one page or more. */
export async function* readEntries(
  database: PostgresQueryable,
  { since, expiresFrom }: { since: string | undefined; expiresFrom: number },
): AsyncGenerator<Page> {
  let [createdAt, entryId] = [`${Number(since ?? 0) - denylistOverlapSeconds}`, "0"];
  for (;;) {
    const { rows } = await database.query(selectPage, [createdAt, entryId, expiresFrom]);
    const page = rows[0] as PageRow;
    if (page.isStandby !== "false") {
      throw new Error("Cannot follow the denylist: the server is a standby, need the primary");
    }
    const entries: readonly Row[] = JSON.parse(page.rows ?? "[]");
    yield { readAt: page.readAt, entries: entries.map(readEntry) };
    const last = entries.at(-1);
    if (last === undefined || entries.length < denylistPageEntries) return;
    [createdAt, entryId] = last;
  }
}

type Row = readonly [
  createdAt: string,
  entryId: string,
  kind: string,
  value: string,
  subject: string | null,
  issuedBefore: number | null,
  expiresAt: number | null,
];

interface PageRow {
  readonly isStandby: string;
  readonly readAt: string;
  readonly rows: string | null;
}

// All columns are text, because the program may have changed the driver's type parsers.
const selectPage = `
select pg_is_in_recovery()::text as "isStandby",
  extract(epoch from now())::text as "readAt",
  (select json_agg(json_build_array(
       extract(epoch from created_at)::text, entry_id::text,
       kind, value, subject, issued_before, expires_at)
     order by created_at, entry_id)
   from (
     select * from denylist.entries
     where (created_at, entry_id) > (to_timestamp($1::float8), $2::bigint)
       and (expires_at is null or expires_at >= $3::bigint)
     order by created_at, entry_id limit ${denylistPageEntries}
   ) as page)::text as rows`;

function readEntry([, , kind, value, subject, issuedBefore, expiresAt]: Row): DenylistEntry {
  const entry = {
    kind,
    value,
    ...(subject !== null && { subject }),
    ...(issuedBefore !== null && { issuedBefore }),
    ...(expiresAt !== null && { expiresAt }),
  } as DenylistEntry;
  // An unknown row, perhaps of a newer version, must not be skipped.
  checkEntry(entry);
  return entry;
}
