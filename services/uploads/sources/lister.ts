/** How a source is listed, wherever it is: in a directory, a store or an Inventory report. */
import type { Microseconds } from "../model/microseconds.ts";
import { compareKeys, type Key } from "./keys.ts";

/** Lists the objects of a source. */
export interface Lister {
  /**
   * Ranges that can be listed in parallel, at least one. They cover everything.
   *
   * @param knownKeys a sample of the keys of the last listing, evenly spaced, in order.
   */
  ranges(knownKeys: readonly Key[]): readonly ListingRange[];
  list(range: ListingRange, signal: AbortSignal, options?: ListOptions): Listing;
  /** Asks the place itself for each of the keys, apart from its listings. In their order. */
  find(keys: readonly Key[], signal: AbortSignal): Promise<readonly Presence[]>;
  /**
   * What a listing would have of these keys. Those that are not there, or have no answer, are
   * missing.
   */
  read(keys: readonly Key[], signal: AbortSignal): Promise<ListedPage>;
  /** Ends the connections that it keeps. */
  close?(): void;
}

interface ListOptions {
  /** Whether tags are not read, though the source has them. */
  readonly isWithoutTags?: boolean;
}

/**
 * What the place says about the upload of one key: "unlisted" if it may only be listed, and a
 * listing of this key does not have it; "unknown" without an answer.
 */
export type Presence = "absent" | "present" | "unlisted" | "unknown";

/** Lists one range. */
export interface Listing extends AsyncIterable<ListedPage> {
  /**
   * Looks for a key that divides what is not listed yet. Pages may be read meanwhile.
   *
   * @param onRequest called before each request of the search.
   */
  findDivision?(onRequest: () => void): Promise<TryToDivide>;
}

/**
 * Gives the keys after the one that was found to a listing of their own. Returns undefined if none
 * was found, or if the listing has passed it or ended.
 */
export type TryToDivide = () => Listing | undefined;

/** How the objects of a source are listed. */
export interface OpenedListing {
  readonly lister: Lister;
  /** Objects that changed after this time may be missing in the listing: they are not deleted. */
  readonly madeAt?: Date;
}

export interface ListingRange {
  /** Exclusive; undefined: from the start. */
  readonly after: Key | undefined;
  /** Inclusive; undefined: to the end. */
  readonly until: Key | undefined;
}

export interface ListedPage {
  readonly objects: readonly ListedObject[];
  readonly leftOut: readonly LeftOut[];
}

export interface ListedObject {
  /** The whole key in the store, or the path below the directory. Directories end with `/`. */
  readonly key: Key;
  readonly sizeBytes: number;
  /** Undefined: the `updatedAtMicros` when the key was first seen. */
  readonly createdAtMicros: Microseconds | undefined;
  /** Undefined: the place gives no time that exists. */
  readonly updatedAtMicros: Microseconds | undefined;
  /** Of an object in an S3 store: `intentMetadata.s3`. */
  readonly s3?: S3Metadata;
  /** Undefined: not asked for. The tags that the index has stay. */
  readonly tags?: readonly string[];
}

interface S3Metadata {
  /** With its quotes, as in the header of that name; empty if the store lists none. */
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
   * Whether it could not be read, so that its present state is unknown: the index keeps its rows.
   * If the key ends with `/`, the index also keeps all rows under it.
   */
  readonly isUnreadable: boolean;
  /** Whether it is a part of an object, such as a tag, and the object itself is listed. */
  readonly isPart?: boolean;
}

export function isInRange(key: Key, { after, until }: ListingRange): boolean {
  if (after !== undefined && compareKeys(key, after) <= 0) return false;
  return until === undefined || compareKeys(key, until) <= 0;
}

/** Whether no key of the range is after this one. */
export function isAtEnd(key: Key, { until }: ListingRange): boolean {
  return until !== undefined && compareKeys(key, until) >= 0;
}
