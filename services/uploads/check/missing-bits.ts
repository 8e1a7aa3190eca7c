import { type SortColumn, sortColumns } from "../model/upload-query.ts";
import { bitsOfPart } from "../skip-index/layout.ts";
import {
  bitmapParameters,
  bitmapRows,
  nGramsWithBitmaps,
  readBitmaps,
} from "../skip-index/read-bitmaps.ts";
import type { Check } from "./check-bucket.ts";

/**
 * The n-grams for which searches miss uploads: those that occur in a block of an order where their
 * bitmap has no bit. Reads every upload if the bucket has a skip index.
 */
export const missingBits: Check = async (run, { bucketNumber }) => {
  const nGrams = await nGramsWithBitmaps(run, bucketNumber);
  if (nGrams.length === 0) return [];
  const needed = await readBitmaps(run, { bucketNumber, nGrams, areMany: true });
  // An n-gram may lack bits in several parts.
  const missing = new Set<string>();
  for (const rows of bitmapParameters(needed)) {
    const values = { bucketNumber, ...rows };
    for (const { nGram, sortBy } of await run<MissingBit>(missingInRows, values)) {
      missing.add(`: searches with ${JSON.stringify(nGram)} by ${sortBy} miss uploads`);
    }
  }
  return [...missing];
};

interface MissingBit {
  readonly nGram: string;
  readonly sortBy: SortColumn;
}

const missingInOrder = (sortBy: SortColumn) =>
  `('${sortBy}', n."${sortBy}" & ~ p."${sortBy}" <> 0::${bitsOfPart})`;

const missingInRows = `
  select p.n_gram as "nGram", missing."sortBy"
  from uploads.skip_index_bitmaps p join ${bitmapRows} n using (part, n_gram)
  cross join lateral (
    values ${sortColumns.map(missingInOrder).join(", ")}) missing ("sortBy", "isMissing")
  where p.bucket_number = :bucketNumber and missing."isMissing" order by p.n_gram`;
