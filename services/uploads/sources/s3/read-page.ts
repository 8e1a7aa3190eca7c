/** Reads pages of a bucket's listing: by `ListObjectsV2`, or current versions. */
import { isDeepStrictEqual } from "node:util";
import { ListObjectsV2Command, ListObjectVersionsCommand } from "@aws-sdk/client-s3";
import {
  bytesOfKey,
  compareKeys,
  decodeKey,
  externalPathOf,
  hasPrefix,
  type Key,
  laterOf,
} from "../keys.ts";
import type { ListedObject } from "../lister.ts";
import type { XmlElement } from "./parse-xml.ts";
import { requestXml, type Store } from "./store.ts";
import { StoreError } from "./store-error.ts";
import { storeObject } from "./store-object.ts";
import { microsOfTime } from "./store-time.ts";

export interface StorePage {
  readonly objects: readonly ListedObject[];
  /** Of everything that the page is about: older versions and deleted objects, too. */
  readonly lastKey: Key | undefined;
  /** How the next page is asked for; undefined at the end. */
  readonly next: Continuation | undefined;
  /** How many objects the store says that the page has, if it says so. */
  readonly keyCount?: number;
}

interface Continuation {
  readonly token?: string;
  readonly keyMarker?: string;
  readonly versionIdMarker?: string;
  /** Pages before it, in a row, that list nothing. */
  readonly emptyPages?: number;
}

interface PageOptions {
  readonly store: Store;
  readonly prefix: string;
  /** Whether version IDs are read. */
  readonly versions: boolean;
  readonly pageKeys: number;
  readonly signal: AbortSignal;
}

export interface PagePosition {
  /** The page begins after this key. */
  readonly after: Key | undefined;
  /** From the page before it. */
  readonly next?: Continuation | undefined;
  /** Instead of a full page. */
  readonly keysMax?: number;
}

/** The most requests for one page: a listing that contradicts itself is requested again. */
export const attemptsMax = 3;

/** @throws StoreError also if the store does not list keys in order. */
export async function readPage(options: PageOptions, position: PagePosition): Promise<StorePage> {
  const read = options.versions ? readVersions : readObjects;
  for (let attempt = 1; ; attempt += 1) {
    const page = await read(options, position);
    requirePrefix(page.objects, options.prefix);
    const disorder = findDisorder(page.objects, isExact(position) ? position.after : undefined);
    const { objects, keyCount = objects.length } = page;
    if (disorder === undefined && keyCount === objects.length) {
      // No page is read after a probe, so the probe need not say where one begins.
      if (position.keysMax === undefined) requireProgress(page.next, position.next, options);
      return page;
    }
    if (attempt < attemptsMax) continue;
    if (disorder === undefined) throw new StoreError(wrongCount);
    throw new StoreError(
      `the store does not list keys in the order of their bytes (${disorder}): buckets of this ` +
        "kind cannot be sources",
    );
  }
}

const wrongCount =
  "the store lists another number of keys than it says (KeyCount): try again later, and if it " +
  "stays so, tell who runs the store";

/** Pages may be empty: a store may skip many deleted objects. But they must come to an end. */
const emptyPagesMax = 1000;

function requireProgress(
  next: Continuation | undefined,
  before: Continuation | undefined,
  { versions }: PageOptions,
): void {
  if (next === undefined) return;
  if (next.emptyPages === emptyPagesMax) throw new StoreError(noProgress.objects);
  if (!isDeepStrictEqual({ ...next, emptyPages: 0 }, { ...before, emptyPages: 0 })) return;
  throw new StoreError(versions ? noProgress.versions : noProgress.objects);
}

function countEmpty({ next }: PagePosition, isEmpty: boolean): Pick<Continuation, "emptyPages"> {
  return isEmpty ? { emptyPages: (next?.emptyPages ?? 0) + 1 } : {};
}

const noProgress = {
  objects: "the store lists nothing, and says that the listing goes on: try again later",
  versions:
    "the store says that a listing goes on where it was, as after keys that are not UTF-8: list " +
    "the bucket without --versions",
};

async function readObjects(options: PageOptions, position: PagePosition): Promise<StorePage> {
  const { store, prefix, signal } = options;
  const command = new ListObjectsV2Command({
    Bucket: store.location.bucket,
    Prefix: prefix,
    EncodingType: "url",
    MaxKeys: position.keysMax ?? options.pageKeys,
    StartAfter: position.next === undefined ? startOf(position.after) : undefined,
    ContinuationToken: position.next?.token,
  });
  const answer = await requestXml(store, signal, command, ["ListBucketResult"]);
  const decode = decoderOf(answer);
  const objects = answer.childrenNamed("Contents").map((entry) => objectOf(entry, decode));
  const lastKey = objects.at(-1)?.key;
  const keyCount = Number(answer.textOf("KeyCount") ?? objects.length);
  if (!isTruncated(answer)) return { objects, lastKey, next: undefined, keyCount };
  const token = answer.textOf("NextContinuationToken");
  if (!token) throw new StoreError(noContinuation);
  const next = { token, ...countEmpty(position, objects.length === 0) };
  return { objects, lastKey, next, keyCount };
}

async function readVersions(options: PageOptions, position: PagePosition): Promise<StorePage> {
  const { store, prefix, signal } = options;
  const command = new ListObjectVersionsCommand({
    Bucket: store.location.bucket,
    Prefix: prefix,
    EncodingType: "url",
    MaxKeys: position.keysMax ?? options.pageKeys,
    KeyMarker: position.next?.keyMarker ?? startOf(position.after),
    VersionIdMarker: position.next?.versionIdMarker,
  });
  // Google's answers have the first name.
  const roots = ["ListBucketResult", "ListVersionsResult"];
  const answer = await requestXml(store, signal, command, roots);
  const decode = decoderOf(answer);
  const versions = answer.childrenNamed("Version");
  const current = versions
    .filter((version) => version.textOf("IsLatest") === "true")
    .map((entry) => objectOf(entry, decode));
  // A page may begin before the key that was asked for: with other versions of that key, or, if it
  // is not UTF-8, at its longest valid prefix.
  const { after } = position;
  const objects = current.filter(({ key }) => after === undefined || compareKeys(key, after) > 0);
  const lastKeyOf = (entries: readonly XmlElement[]) => {
    const key = entries.at(-1)?.textOf("Key");
    return key === undefined ? undefined : decode(key);
  };
  const end = laterOf(lastKeyOf(versions), lastKeyOf(answer.childrenNamed("DeleteMarker")));
  const lastKey = laterOf(end, after);
  if (!isTruncated(answer)) return { objects, lastKey, next: undefined };
  const marker = answer.textOf("NextKeyMarker");
  const versionIdMarker = answer.textOf("NextVersionIdMarker");
  if (marker === undefined) throw new StoreError(noContinuation);
  const next = continuationAfter(end, { markers: [marker, decode(marker)], versionIdMarker });
  return { objects, lastKey, next: { ...next, ...countEmpty(position, end === undefined) } };
}

interface Markers {
  /** The marker as the store gave it, and decoded. Ceph encodes keys, but not markers. */
  readonly markers: readonly Key[];
  readonly versionIdMarker: string | undefined;
}

function continuationAfter(
  end: Key | undefined,
  { markers, versionIdMarker }: Markers,
): Continuation {
  // After an empty page, the earlier one: listing something twice does no harm.
  const key = end ?? markers.toSorted(compareKeys)[0];
  const keyMarker = startOf(key);
  // Another key does not have that version.
  const hasVersion = markers.includes(key ?? "") && keyMarker === key;
  return {
    ...(keyMarker !== undefined && { keyMarker }),
    ...(hasVersion && versionIdMarker && { versionIdMarker }),
  };
}

/** Whether the listing goes on. If it ended too early, a run would delete the rest. */
function isTruncated(answer: XmlElement): boolean {
  const text = answer.textOf("IsTruncated");
  if (text === "true" || text === "false") return text === "true";
  throw new StoreError("the store does not say whether a listing goes on: it is not supported");
}

const noContinuation = "the store says that a listing goes on, but not where: try again later";

function objectOf(entry: XmlElement, decode: (key: string) => Key): ListedObject {
  const key = entry.textOf("Key");
  const sizeBytes = entry.textOf("Size") ?? "";
  const time = entry.textOf("LastModified");
  if (!key || !/^\d+$/.test(sizeBytes) || !time) {
    throw new StoreError(
      "the store lists an object without its key, size or time: it is not supported",
    );
  }
  return storeObject({
    key: decode(key),
    sizeBytes: Number(sizeBytes),
    modifiedAtMicros: microsOfTime(time),
    etag: entry.textOf("ETag"),
    storageClass: entry.textOf("StorageClass"),
    versionId: entry.textOf("VersionId"),
  });
}

/** Keys are asked for in percent-encoding, because XML cannot contain every character. */
function decoderOf(answer: XmlElement): (key: string) => Key {
  const isEncoded = answer.textOf("EncodingType") === "url";
  return (key) => (isEncoded ? decodeKey(key) : key);
}

/** Requests are text. After a key that is not UTF-8, they start at its longest valid prefix. */
function startOf(after: Key | undefined): string | undefined {
  if (after === undefined || typeof after === "string") return after;
  return (
    bytesOfKey(after)
      .toString()
      .replace(/\ufffd.*$/s, "") || undefined
  );
}

/** Whether the page begins after that key, and not at the text that `startOf` finds for it. */
function isExact({ after, next }: PagePosition): boolean {
  return typeof after === "string" || next?.token !== undefined;
}

/** A proxy may drop the parameters of a request. */
function requirePrefix(objects: readonly ListedObject[], prefix: string): void {
  const other = objects.find(({ key }) => !hasPrefix(key, prefix));
  if (other === undefined) return;
  throw new StoreError(
    `the store lists ${shown(other.key)} when asked for keys that begin with ` +
      `${JSON.stringify(prefix)}: it is not supported`,
  );
}

function findDisorder(
  objects: readonly ListedObject[],
  after: Key | undefined,
): string | undefined {
  let earlier = after;
  for (const { key } of objects) {
    if (earlier !== undefined && compareKeys(earlier, key) >= 0) {
      return `${shown(key)} after ${shown(earlier)}`;
    }
    earlier = key;
  }
  return undefined;
}

function shown(key: Key): string {
  return JSON.stringify(externalPathOf(key));
}
