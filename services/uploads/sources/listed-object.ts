/** What a listing of a source yields, and what an object becomes in the index. */
import type { ObjectFields } from "../import/records/record.ts";
import { deterministicUploadId } from "../model/deterministic-ids.ts";
import type { Microseconds } from "../model/timestamps.ts";
import { uploadTypeOf } from "../model/upload-type.ts";
import { compareKeys, externalPathOf, type Key, KeyError, type Mount, pathOfKey } from "./keys.ts";

export interface ListedObject {
  /** The whole key in the store, or the path below the directory. Directories end with `/`. */
  readonly key: Key;
  readonly sizeBytes: number;
  /** Undefined: the `updatedAtMicros` when the key was first seen. */
  readonly createdAtMicros: Microseconds | undefined;
  readonly updatedAtMicros: Microseconds;
  /** Of an object in an S3 store: `intentMetadata.s3`. */
  readonly s3?: S3Metadata;
  /** Undefined: not asked for. The tags that the index has stay. */
  readonly tags?: readonly string[];
}

interface S3Metadata {
  /** With its quotes, as in the header of that name. */
  readonly etag: string;
  readonly storageClass: string;
  /** Only if the versions were listed. */
  readonly versionId?: string;
}

/** Something that the listing found and the index does not get: an object, or a part of one. */
export interface LeftOut {
  readonly key: Key;
  readonly reason: string;
  /**
   * Whether it could not be read, so that its present state is unknown: what the index has of it
   * stays. If the key ends with `/`, that is so for everything under it, too.
   */
  readonly isUnreadable: boolean;
  /** Whether it is a part of an object, such as a tag, and the object itself is listed. */
  readonly isPart?: boolean;
}

export interface ListedPage {
  readonly objects: readonly ListedObject[];
  /** The listing continues after this key. */
  readonly lastKey: Key;
  readonly leftOut: readonly LeftOut[];
}

export interface KeyRange {
  /** Exclusive; undefined: from the start. */
  readonly after: Key | undefined;
  /** Inclusive; undefined: to the end. */
  readonly until: Key | undefined;
}

export function isInRange(key: Key, { after, until }: KeyRange): boolean {
  if (after !== undefined && compareKeys(key, after) <= 0) return false;
  return until === undefined || compareKeys(key, until) <= 0;
}

/** Whether no key of the range is after this one. */
export function isAtEnd(key: Key, { until }: KeyRange): boolean {
  return until !== undefined && compareKeys(key, until) >= 0;
}

/** Thrown when a listing cannot continue where it was: only a new one tells what is there. */
export class OutdatedListingError extends Error {}

/** Lists the objects of a source. */
export interface Lister {
  /**
   * Ranges that can be listed in parallel. They are in order, and cover everything.
   *
   * @param knownKeys a sample of the keys of the last listing, evenly spaced, in order.
   */
  ranges(knownKeys: readonly Key[], signal: AbortSignal): Promise<readonly KeyRange[]>;
  /** In the byte order of the keys. A range that was interrupted goes on after the last key. */
  list(range: KeyRange, signal: AbortSignal): AsyncIterable<ListedPage>;
}

/** How the objects of a source are listed. */
export interface OpenedListing {
  readonly lister: Lister;
  /** Objects that changed after this time may be missing in the listing: they are not deleted. */
  readonly madeAt?: Date;
  /** In lower-case hexadecimal: tells an Inventory report from others at the same address. */
  readonly reportMd5?: string;
}

export interface BucketMount extends Mount {
  readonly bucketId: string;
}

type MappedObject =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "upload"; readonly object: ObjectFields };

/**
 * The upload or the folder that an object becomes.
 *
 * @throws KeyError if the index cannot hold the object.
 */
export function mapObject(object: ListedObject, source: BucketMount): MappedObject {
  const { key, sizeBytes, createdAtMicros, updatedAtMicros, s3, tags = [] } = object;
  const { path, filename } = pathOfKey(key, sizeBytes, source);
  if (filename === undefined) return { kind: "folder", path };
  if (!Number.isSafeInteger(sizeBytes)) throw new KeyError("it is over 2^53-1 bytes");
  const fields = {
    uploadId: deterministicUploadId(source.bucketId, path, filename),
    path,
    filename,
    sizeBytes: BigInt(sizeBytes),
    type: uploadTypeOf(filename),
    tags,
    createdAtMicros,
    updatedAtMicros,
    intentMetadata: s3 === undefined ? {} : { s3 },
    externalPath: externalPathOf(key),
  };
  return { kind: "upload", object: fields };
}
