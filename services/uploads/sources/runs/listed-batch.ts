/** What some pages of a listing become: records for the index, and what was seen. */
import type { FolderPathRecord, ObjectRecord } from "../../import/records/record.ts";
import { deterministicUploadId } from "../../model/deterministic-ids.ts";
import { externalPathOf, KeyError, pathOfKey } from "../keys.ts";
import type { LeftOut, ListedObject, ListedPage } from "../lister.ts";
import { type BucketMount, mapObject, ValueError } from "../map-object.ts";

/** A directory that could not be read: what the index has under it stays. */
interface UnreadFolder {
  readonly path: string;
  readonly externalPath: string;
}

export class ListedBatch {
  readonly records: (FolderPathRecord | ObjectRecord)[] = [];
  /** IDs of uploads that are listed, or that could not be read. */
  readonly uploadIds: string[] = [];
  /** Paths of folders that the listing itself has. */
  readonly folders: string[] = [];
  readonly unreadFolders: UnreadFolder[] = [];
  readonly leftOut: LeftOut[] = [];
  objects = 0;
  sizeBytes = 0;
  readonly #source: BucketMount;

  readonly #ghosts: ReadonlySet<string>;

  /** @param ghosts IDs of uploads that are left out: their objects do not exist. */
  constructor(source: BucketMount, ghosts: ReadonlySet<string>) {
    this.#source = source;
    this.#ghosts = ghosts;
  }

  get isEmpty(): boolean {
    return this.records.length === 0 && this.leftOut.length === 0;
  }

  add({ objects, leftOut }: ListedPage): void {
    for (const object of objects) this.#addObject(object);
    for (const each of leftOut) {
      this.leftOut.push(each);
      // The key of a directory ends with `/`, as that of an empty object which is a folder.
      if (each.isUnreadable) this.#addUnread({ key: each.key, sizeBytes: 0 });
    }
  }

  #addObject(object: ListedObject): void {
    const record = this.#recordOf(object);
    if (record === undefined) return;
    if (record.kind === "object" && this.#ghosts.has(record.object.uploadId)) return;
    this.records.push(record);
    if (record.kind === "folder path") {
      this.folders.push(record.path);
      return;
    }
    this.uploadIds.push(record.object.uploadId);
    this.objects += 1;
    this.sizeBytes += object.sizeBytes;
  }

  #recordOf(object: ListedObject): FolderPathRecord | ObjectRecord | undefined {
    try {
      return mapObject(object, this.#source, this.records.length);
    } catch (error) {
      if (!(error instanceof KeyError || error instanceof ValueError)) throw error;
      const isUnreadable = error instanceof ValueError;
      this.leftOut.push({ key: object.key, reason: error.message, isUnreadable });
      if (isUnreadable) this.#addUnread(object);
      return undefined;
    }
  }

  #addUnread({ key, sizeBytes }: Pick<ListedObject, "key" | "sizeBytes">): void {
    try {
      const { path, filename } = pathOfKey(key, sizeBytes, this.#source);
      if (filename === undefined) {
        this.unreadFolders.push({ path, externalPath: externalPathOf(key) });
      } else {
        this.uploadIds.push(deterministicUploadId(this.#source.bucketId, path, filename));
      }
    } catch (error) {
      // The index cannot hold it, and has nothing of it.
      if (!(error instanceof KeyError)) throw error;
    }
  }
}
