import type { BigIntStats } from "node:fs";
import { microsOfNanos } from "../../model/timestamps.ts";
import type { Key } from "../keys.ts";
import type { ListedObject } from "../lister.ts";

/** A file that cannot be in the index. */
export class FileError extends Error {
  override readonly name = "FileError";
}

/**
 * The object of a file. It was created when the file was made or last changed, whichever is
 * earlier: a copy can be younger than its content, and not every file system stores when a file was
 * made. Throws `FileError`.
 */
export function objectOfFile(key: Key, stats: BigIntStats): ListedObject {
  const { mtimeNs, birthtimeNs, size } = stats;
  const createdNs = birthtimeNs > 0n && birthtimeNs < mtimeNs ? birthtimeNs : mtimeNs;
  return {
    key,
    sizeBytes: Number(size),
    createdAtMicros: indexedMicros(createdNs),
    updatedAtMicros: indexedMicros(mtimeNs),
  };
}

const nanosMin = BigInt(Date.parse("0001-01-01T00:00:00Z")) * 1_000_000n;
const nanosMax = BigInt(Date.parse("9999-12-31T23:59:59Z")) * 1_000_000n;

function indexedMicros(nanos: bigint): bigint {
  if (nanos < nanosMin || nanos > nanosMax) {
    throw new FileError("its time is outside the years 1 to 9999");
  }
  return microsOfNanos(nanos);
}
