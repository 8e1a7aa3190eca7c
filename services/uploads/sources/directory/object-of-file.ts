import type { BigIntStats } from "node:fs";
import { microsOfNanos } from "../../model/microseconds.ts";
import { type Key, keyOfBytes } from "../keys.ts";
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

/** @param path below the root; with or without `/` at its end. */
export function objectOfDirectory(path: Buffer): ListedObject {
  const slash = path.at(-1) === 0x2f ? "" : "/";
  const key = keyOfBytes(Buffer.concat([path, Buffer.from(slash)]));
  return { key, sizeBytes: 0, createdAtMicros: undefined, updatedAtMicros: 0n };
}
