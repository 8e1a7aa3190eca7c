/**
 * Whether an object, as a store describes it when it is asked, is the one that the index knows, and
 * can be read.
 */
import { ApiError } from "../model/api-error.ts";
import { contentChanged } from "./find-content.ts";

/** What the index knows of an object in a store. */
export interface IndexedObject {
  readonly sizeBytes: number;
  /** In microseconds since 1970. */
  readonly updatedAtMicros: bigint;
  /** As the listing had it: stores also list none, an empty one, `null`, or one without quotes. */
  readonly etag: string | undefined;
  readonly versionId: string | undefined;
}

interface FoundObject {
  readonly ContentLength?: number | undefined;
  readonly ETag?: string | undefined;
  readonly LastModified?: Date | undefined;
}

/**
 * A version is what it is. Without one, an ETag that is the same settles it. Other ETags prove
 * nothing: some stores list another one than they answer with. Then size and time decide, as far as
 * the store tells them.
 *
 * @throws ApiError CONTENT_CHANGED; its cause says what differs.
 */
export function requireIndexedObject(found: FoundObject, indexed: IndexedObject): void {
  // The version `null` is whatever was stored while versions were off.
  if (indexed.versionId !== undefined && indexed.versionId !== "null") return;
  const { ContentLength: sizeBytes, LastModified: time } = found;
  if (sizeBytes !== undefined && sizeBytes !== indexed.sizeBytes) {
    throw changed(`its size is ${sizeBytes} and was ${indexed.sizeBytes}`);
  }
  const [etag, listedEtag] = [comparable(found.ETag), comparable(indexed.etag)];
  if (etag !== undefined && etag === listedEtag) return;
  const listedMs = Number(indexed.updatedAtMicros / 1000n);
  // The header of a time has whole seconds, and some stores round it.
  if (time === undefined || Math.abs(time.getTime() - listedMs) < 1000) return;
  const etags = `, its ETag is ${found.ETag} and was ${indexed.etag}`;
  throw changed(`its time is ${time.toISOString()} and was ${isoOf(listedMs)}${etags}`);
}

interface StorageOfObject {
  readonly StorageClass?: string | undefined;
  /** Of an object in `INTELLIGENT_TIERING` that is in an archive tier. */
  readonly ArchiveStatus?: string | undefined;
  /** Of an object that is being restored, or is restored for a time. */
  readonly Restore?: string | undefined;
}

/** Other classes can be read at once. Names of other stores are theirs: Google's ARCHIVE can. */
const archivedClasses: readonly unknown[] = ["GLACIER", "DEEP_ARCHIVE"];

/** @throws ApiError CONTENT_ARCHIVED */
export function requireRestored(found: StorageOfObject): void {
  const { StorageClass: storageClass = "", ArchiveStatus: tier, Restore: restore = "" } = found;
  const isArchived = tier !== undefined || archivedClasses.includes(storageClass);
  if (!isArchived || restore.includes('ongoing-request="false"')) return;
  const where = [storageClass, tier].filter(Boolean).join(", ");
  const message = restore.includes('ongoing-request="true"')
    ? `the object is being restored from the archive (${where}); try again in some hours`
    : `the object is archived (${where}); its owner must restore it in the store first`;
  throw new ApiError("CONTENT_ARCHIVED", message);
}

/** An ETag without its quotes; undefined if there is none. */
function comparable(etag: string | undefined): string | undefined {
  const text = etag?.replace(/^W\//, "").replace(/^"(.*)"$/, "$1");
  return text === "" || text === "null" ? undefined : text;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

function changed(what: string): Error {
  return contentChanged(new Error(what));
}
