import type { BigIntStats } from "node:fs";
import { microsOfNanos } from "../../model/microseconds.ts";
import type { Key } from "../keys.ts";
import type { ListedObject } from "../lister.ts";

/**
 * The object of a file. It was created when the file was made or last changed, whichever is
 * earlier: a copy can be younger than its content, and not every file system stores when a file was
 * made.
 */
export function objectOfFile(key: Key, stats: BigIntStats): ListedObject {
  const { mtimeNs, birthtimeNs, size } = stats;
  const createdNs = birthtimeNs > 0n && birthtimeNs < mtimeNs ? birthtimeNs : mtimeNs;
  return {
    key,
    sizeBytes: Number(size),
    createdAtMicros: microsOfNanos(createdNs),
    updatedAtMicros: microsOfNanos(mtimeNs),
  };
}
