/** Refuses sums of sizes that answers could not give exactly. */
import type pg from "pg";
import { type UploadColumns, writtenUploads } from "./merge-uploads.ts";
import { countRows } from "./statements.ts";

/** The uploads of a bucket would have too many bytes together. */
class TotalTooLargeError extends Error {
  override readonly name = "TotalTooLargeError";
}

/**
 * Throws `TotalTooLargeError` if the uploads of a bucket would have over 2^53-1 bytes together, and
 * the merge adds to them. The error names the largest upload that the merge writes: the line of a
 * file, or the key of an object. Call it before the totals are written.
 */
export async function requireExactTotals(
  client: pg.ClientBase,
  uploadColumns: UploadColumns,
): Promise<void> {
  if ((await countRows(client, grownTooLarge)) === 0) return;
  const { rows } = await client.query<LargestUpload>(largestUpload);
  const [{ hostname, line, key }] = rows as [LargestUpload];
  const place = uploadColumns === "all" ? `line ${line}` : key;
  throw new TotalTooLargeError(
    `Cannot write to ${hostname}: its uploads would have over 2^53-1 bytes together, the largest ` +
      `of the new ones with ${place}; correct the sizes, or divide the uploads among buckets`,
  );
}

// The total of the root is that of the bucket. A new bucket has no root yet.
const grownTooLarge = `total_growth g
  left join uploads.folders f using (bucket_number, tree_key)
  where g.tree_key = '' and g.subtree_size_bytes > 0
    and coalesce(f.subtree_size_bytes, 0) + g.subtree_size_bytes > ${Number.MAX_SAFE_INTEGER}`;

interface LargestUpload {
  readonly hostname: string;
  readonly line: string;
  readonly key: string;
}

const largestUpload = `
  select b.hostname, s.line, s.external_path as key from staged_uploads s
  join uploads.buckets b using (bucket_number)
  where bucket_number in (select bucket_number from ${grownTooLarge})
    and (bucket_number, upload_id) in ${writtenUploads}
  order by s.size_bytes desc, s.line limit 1`;
