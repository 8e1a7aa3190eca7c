import { JsonOutput } from "../json/json-output.ts";
import { idPrefix } from "../model/id-prefix.ts";
import type { BinaryRow } from "../postgres/binary-row.ts";

/** Where a row has what uploads are ordered by. */
interface OrderColumns {
  /** The position of the folder, also in the rows of folders. */
  readonly position: number;
  readonly filename: number;
  readonly uploadId: number;
}

interface Options {
  readonly columns: OrderColumns;
  readonly write: (row: BinaryRow, output: JsonOutput) => void;
  /** Gets the uploads as they are written, in order. They are valid until it returns. */
  readonly pass: (upload: Buffer) => void;
}

/**
 * Writes the uploads of each folder by filename, then ID. Throws when the row of an upload does not
 * follow its folder, or the one before it.
 *
 * The rows come by filename, then ID prefix. SQL cannot request that they directly follow their
 * folder without sorting all of them. `TreeWalk` checks the order of folders.
 */
export class UploadOrder {
  readonly #options: Options;
  readonly #position = new KeptValue();
  /** The last upload, which is held until the next row has come. */
  readonly #filename = new KeptValue();
  readonly #uploadId = new KeptValue();
  readonly #output = new JsonOutput();
  /** All held uploads, if the last one has filename and prefix of the one before: very few do. */
  #tied: TiedUpload[] = [];

  constructor(options: Options) {
    this.#options = options;
  }

  /** The next row, which is that of a folder. */
  folder(row: BinaryRow): void {
    this.passHeld();
    this.#position.keep(row, this.#options.columns.position);
  }

  /** The next row, which is that of an upload. */
  upload(row: BinaryRow): void {
    const { columns, write } = this.#options;
    if (this.#position.compare(row, columns.position) !== 0) {
      throw outOfOrder("does not follow its folder");
    }
    const isTied = this.#isTied(row);
    if (isTied && this.#tied.length === 0) this.#tied.push(this.#lastUpload());
    if (!isTied) this.passHeld();
    this.#output.clear();
    write(row, this.#output);
    this.#filename.keep(row, columns.filename);
    this.#uploadId.keep(row, columns.uploadId);
    if (isTied) this.#tied.push(this.#lastUpload());
  }

  /** Passes the uploads that are held. */
  passHeld(): void {
    const { pass } = this.#options;
    if (this.#tied.length === 0) {
      if (this.#output.length > 0) pass(this.#output.view(0, this.#output.length));
    } else {
      const sorted = this.#tied.sort((one, other) => one.uploadId.compare(other.uploadId));
      this.#tied = [];
      for (const [at, { uploadId, content }] of sorted.entries()) {
        if (sorted[at - 1]?.uploadId.equals(uploadId)) throw doesNotFollow();
        pass(content);
      }
    }
    this.#output.clear();
  }

  /** Whether filename and ID prefix are those of the last upload, if any. */
  #isTied(row: BinaryRow): boolean {
    const { filename, uploadId } = this.#options.columns;
    if (this.#output.length === 0) return false;
    const order = this.#filename.compare(row, filename);
    if (order < 0) return false;
    if (order > 0) throw doesNotFollow();
    const prefix = idPrefix(row.text(uploadId)?.toString() ?? "");
    if (prefix === idPrefix(this.#uploadId.copy().toString())) return true;
    if (this.#uploadId.compare(row, uploadId) > 0) throw doesNotFollow();
    return false;
  }

  #lastUpload(): TiedUpload {
    const content = Buffer.from(this.#output.view(0, this.#output.length));
    return { uploadId: this.#uploadId.copy(), content };
  }
}

interface TiedUpload {
  readonly uploadId: Buffer;
  readonly content: Buffer;
}

/** A copy of a value, in memory that is used again. A view of each value would take longer. */
class KeptValue {
  #bytes = Buffer.alloc(1024);
  #length = 0;

  keep(row: BinaryRow, index: number): void {
    const start = row.start(index);
    this.#length = row.end(index) - start;
    if (this.#length > this.#bytes.length) this.#bytes = Buffer.alloc(2 * this.#length);
    row.bytes.copy(this.#bytes, 0, start, start + this.#length);
  }

  /** Negative if it is before the value of the row. */
  compare(row: BinaryRow, index: number): number {
    const { bytes } = row;
    const start = row.start(index);
    const length = row.end(index) - start;
    const shared = Math.min(this.#length, length);
    // For values as short as names, Buffer.compare would take longer.
    for (let at = 0; at < shared; at++) {
      const order = (this.#bytes[at] ?? 0) - (bytes[start + at] ?? 0);
      if (order !== 0) return order;
    }
    return this.#length - length;
  }

  copy(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }
}

function doesNotFollow(): Error {
  return outOfOrder("does not follow the one before it");
}

function outOfOrder(what: string): Error {
  return new Error(`Cannot show a tree: the row of an upload ${what}`);
}
