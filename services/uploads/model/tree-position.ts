/**
 * Tree positions: numbers of the folders of a bucket, in the order of their tree keys
 * (schema/0003-integrations-and-folders.sql). Requests have keys and uploads have positions. A
 * statement turns one into the other, so that both are of the same moment.
 */

/**
 * In SQL: the position of the first folder of the bucket at or after the key; the greatest number
 * if there is none. So the keys of a range have the positions of the range between its ends.
 */
export function positionAt(key: string): string {
  return `coalesce((
    select f.tree_position from uploads.folders f
    where f.bucket_number = :bucketNumber and f.tree_key >= ${key}
    order by f.tree_key limit 1), ${positionsEnd})`;
}

/** In SQL: the position of the folder with the key; null if there is no such folder. */
export function positionOf(key: string): string {
  return `(
    select f.tree_position from uploads.folders f
    where f.bucket_number = :bucketNumber and f.tree_key = ${key})`;
}

/** After every position. */
const positionsEnd = "9223372036854775807";
