import sql, { join, raw, type Sql } from "sql-template-tag";
import { type SortColumn, sortColumns } from "../model/upload-query.ts";
import type { Run } from "../postgres/database.ts";
import { bitsOfPart, keptPieces, readPieceZones, rowsOfZones } from "../search/skip-index.ts";

/** A piece of names that stands in more zones of an order than are kept for it. */
export interface MissingZones {
  readonly bucketId: string;
  readonly nGram: string;
  readonly sortBy: SortColumn;
}

/** All that searches pass over though they should not: every upload is read. Needs a snapshot. */
export async function* missingZones(run: Run): AsyncGenerator<MissingZones> {
  const buckets = await run<{ bucket_id: string }>(sql`
    select bucket_id from uploads.skip_index_buckets order by bucket_id`);
  for (const { bucket_id: bucketId } of buckets) {
    const pieces = await keptPieces(run, bucketId);
    const needed = await readPieceZones(run, {
      bucketId,
      pieces,
      uploads: sql`true`,
      areMany: true,
    });
    // A piece may lack some in several parts.
    const missing = new Map<string, MissingZones>();
    for (const parts of rowsOfZones(needed)) {
      for (const row of await run<MissingRow>(missingIn(parts, bucketId))) {
        missing.set(JSON.stringify(row), { bucketId, ...row });
      }
    }
    yield* missing.values();
  }
}

type MissingRow = Omit<MissingZones, "bucketId">;

function missingIn(parts: Sql, bucketId: string): Sql {
  const compared = sortColumns.map((sortBy) => {
    const order = raw(`"${sortBy}"`);
    return sql`(${sortBy}, n.${order} & ~ p.${order} <> 0::${bitsOfPart})`;
  });
  return sql`
    select p.n_gram as "nGram", missing."sortBy"
    from uploads.skip_index_bitmaps p join ${parts} n using (part, n_gram)
    cross join lateral (values ${join(compared)}) missing ("sortBy", "isMissing")
    where p.bucket_id = ${bucketId} and missing."isMissing" order by p.n_gram`;
}
