import { type SortColumn, sortColumns } from "../model/upload-query.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { bitsOfPart } from "../skip-index/layout.ts";
import {
  bitmapParameters,
  bitmapRows,
  nGramsWithBitmaps,
  readBitmaps,
} from "../skip-index/read-bitmaps.ts";

/** An n-gram that occurs in a block of an order where its bitmap has no bit. */
interface MissingBit {
  readonly bucketId: string;
  readonly nGram: string;
  readonly sortBy: SortColumn;
}

/**
 * The n-grams for which searches miss uploads. Reads every upload of the buckets that have a skip
 * index. Needs a snapshot.
 */
export async function* missingBits(run: RunQuery): AsyncGenerator<MissingBit> {
  const buckets = await run<{ bucket_id: string }>(
    "select bucket_id from uploads.skip_index_buckets order by bucket_id",
  );
  for (const { bucket_id: bucketId } of buckets) {
    const nGrams = await nGramsWithBitmaps(run, bucketId);
    const needed = await readBitmaps(run, { bucketId, nGrams, areMany: true });
    // An n-gram may lack bits in several parts.
    const missing = new Map<string, MissingBit>();
    for (const rows of bitmapParameters(needed)) {
      const values = { bucketId, ...rows };
      for (const row of await run<Omit<MissingBit, "bucketId">>(missingInRows, values)) {
        missing.set(JSON.stringify(row), { bucketId, ...row });
      }
    }
    yield* missing.values();
  }
}

const missingInOrder = (sortBy: SortColumn) =>
  `('${sortBy}', n."${sortBy}" & ~ p."${sortBy}" <> 0::${bitsOfPart})`;

const missingInRows = `
  select p.n_gram as "nGram", missing."sortBy"
  from uploads.skip_index_bitmaps p join ${bitmapRows} n using (part, n_gram)
  cross join lateral (
    values ${sortColumns.map(missingInOrder).join(", ")}) missing ("sortBy", "isMissing")
  where p.bucket_id = :bucketId and missing."isMissing" order by p.n_gram`;
