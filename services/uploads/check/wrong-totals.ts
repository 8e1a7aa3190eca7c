import { countedUploads, totalColumns, totalsOfFolders } from "../import/merge/folder-totals.ts";
import { type Check, listedMax } from "./check-bucket.ts";

/** Number and bytes of the uploads, directly inside and in the subtree. */
type TotalsText = readonly [string, string, string, string];

const names = ["uploads", "bytes", "uploads of the subtree", "bytes of the subtree"] as const;

/** Counts all uploads. */
export const wrongTotals: Check = async (run, { bucketNumber }) => {
  const rows = await run<{ path: string; stored: TotalsText; counted: TotalsText }>(
    `select uploads.path_of(f.tree_key, f.path) as path,
      ${totalsOf("f")} as stored, ${totalsOf("counted")} as counted
    from uploads.folders f
    left join (${totalsOfFolders(countedUploads(":bucketNumber"))}) counted
      on counted.tree_key = f.tree_key
    where f.bucket_number = :bucketNumber and ${totalsOf("f")} <> ${totalsOf("counted")}
    order by f.tree_key limit :listedMax`,
    { bucketNumber, listedMax },
  );
  return rows.map(({ path, stored, counted }) => {
    // Only the numbers that differ: `got 2462 bytes, 26327 bytes of the subtree, need 2465, 26330`.
    const numbers = names
      .map((name, index) => ({ name, got: stored[index], need: counted[index] }))
      .filter(({ got, need }) => got !== need);
    const got = numbers.map((each) => `${each.got} ${each.name}`).join(", ");
    const need = numbers.map((each) => each.need).join(", ");
    return `, totals of ${JSON.stringify(path)}: got ${got}, need ${need}`;
  });
};

function totalsOf(table: string): string {
  const texts = totalColumns.map((column) => `coalesce(${table}.${column}, 0)::text`);
  return `array[${texts.join(", ")}]`;
}
