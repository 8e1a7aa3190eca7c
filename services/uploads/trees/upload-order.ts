/** What the uploads of a tree are ordered by, in UTF-8. */
interface UploadKey {
  /** The tree key of its folder. */
  readonly folderKey: Buffer;
  readonly filename: Buffer;
  readonly uploadId: Buffer;
}

/**
 * Throws when an upload does not follow its folder, by filename, then ID.
 *
 * The statement requests the order of folders, and of the uploads of one folder, but SQL cannot
 * request that uploads directly follow their folder without sorting all of them. `TreeWalk` checks
 * the order of folders.
 */
export class UploadOrder {
  readonly #folderKey = new KeptBytes();
  readonly #filename = new KeptBytes();
  readonly #uploadId = new KeptBytes();
  /** The current folder has had no upload yet. */
  #isFirst = true;

  folder(key: Uint8Array): void {
    this.#folderKey.keep(key);
    this.#isFirst = true;
  }

  upload({ folderKey, filename, uploadId }: UploadKey): void {
    if (this.#folderKey.compare(folderKey) !== 0) throw outOfOrder("does not follow its folder");
    const order = this.#filename.compare(filename) || this.#uploadId.compare(uploadId);
    if (!this.#isFirst && order >= 0) throw outOfOrder("does not follow the one before it");
    this.#filename.keep(filename);
    this.#uploadId.keep(uploadId);
    this.#isFirst = false;
  }
}

/** A copy of bytes in memory that is used again. */
class KeptBytes {
  #bytes = Buffer.alloc(1024);
  #length = 0;

  keep(bytes: Uint8Array): void {
    if (bytes.length > this.#bytes.length) this.#bytes = Buffer.alloc(2 * bytes.length);
    this.#bytes.set(bytes);
    this.#length = bytes.length;
  }

  compare(other: Uint8Array): number {
    return this.#bytes.compare(other, 0, other.length, 0, this.#length);
  }
}

function outOfOrder(what: string): Error {
  return new Error(`Cannot show a tree: the row of an upload ${what}`);
}
