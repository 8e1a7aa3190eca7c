import type { RowContent, TreeRowSink } from "./rows.ts";
import type { TreeFolder } from "./walk.ts";

/**
 * Passes rows on. Throws when an upload does not follow its folder, by filename, then ID.
 *
 * The statement requests the order of folders, and of the uploads of one folder, but SQL cannot
 * request that uploads directly follow their folder without sorting all documents. `TreeWalk`
 * checks the order of folders.
 *
 * It reads the documents, which contain all that is compared. Further columns would be more work
 * for the database, and more bytes.
 */
export class UploadOrder implements TreeRowSink {
  readonly #rows: TreeRowSink;
  /** The path of the current folder, as a JSON string, and its length; 0 if it has no document. */
  #path: Buffer = Buffer.alloc(1024);
  #pathLength = 0;
  /** Undefined when the current folder has had no upload yet. */
  #previous: UploadName | undefined;
  /** The start of its document, to the end of the filename. */
  #previousBytes: Buffer = Buffer.alloc(1024);

  constructor(rows: TreeRowSink) {
    this.#rows = rows;
  }

  folder(folder: TreeFolder<RowContent>): void {
    this.#keepPath(folder.content.document);
    this.#previous = undefined;
    this.#rows.folder(folder);
  }

  upload(upload: RowContent): void {
    const { document } = upload;
    const name = uploadNameIn(document);
    this.#requireFolder(document, name.filename.end + filenameToPath);
    if (this.#previous !== undefined && compareNames(this.#previous, name) >= 0) {
      throw outOfOrder("does not follow the one before it");
    }
    this.#keep(name);
    this.#rows.upload(upload);
  }

  #keepPath(document: Buffer): void {
    this.#pathLength = 0;
    // Folders below the depth limit have no document. None of their uploads are read.
    if (document.length === 0) return;
    const { end } = stringContentAt(document, folderPathStart + 1);
    this.#pathLength = end + 1 - folderPathStart;
    this.#path = withRoom(this.#path, this.#pathLength);
    document.copy(this.#path, 0, folderPathStart, end + 1);
  }

  #requireFolder(document: Buffer, pathStart: number): void {
    const path = this.#path;
    const length = this.#pathLength;
    if (length === 0) throw outOfOrder("follows a folder that lists no uploads");
    let same = 0;
    while (same < length && document[pathStart + same] === path[same]) same += 1;
    if (same < length) throw outOfOrder("does not follow its folder");
  }

  #keep({ uploadId, filename }: UploadName): void {
    const bytes = withRoom(this.#previousBytes, filename.end);
    filename.bytes.copy(bytes, 0, 0, filename.end);
    this.#previousBytes = bytes;
    this.#previous = { uploadId: { ...uploadId, bytes }, filename: { ...filename, bytes } };
  }
}

// The schema writes the documents of folders and uploads with these members first
// (`uploads.folder_document`, `uploads.upload_document`). Their values are JSON strings.
const folderPathStart = '{"folderId":"00000000-0000-0000-0000-000000000000","path":'.length;
const uploadIdStart = '{"uploadId":"'.length;
const uploadIdToFilename = '","filename":"'.length;
const filenameToPath = '","path":'.length;

/** By what the uploads of a folder are ordered. */
interface UploadName {
  readonly uploadId: StringContent;
  readonly filename: StringContent;
}

function uploadNameIn(document: Buffer): UploadName {
  const uploadId = stringContentAt(document, uploadIdStart);
  return { uploadId, filename: stringContentAt(document, uploadId.end + uploadIdToFilename) };
}

function compareNames(a: UploadName, b: UploadName): number {
  return compareStrings(a.filename, b.filename) || compareStrings(a.uploadId, b.uploadId);
}

/** The content of a JSON string: the bytes between its quotes. */
interface StringContent {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

const quote = 0x22;
const backslash = 0x5c;

function stringContentAt(bytes: Buffer, start: number): StringContent {
  for (let end = start; end < bytes.length; end++) {
    const byte = bytes[end];
    if (byte === quote) return { bytes, start, end };
    if (byte === backslash) end += 1;
  }
  throw outOfOrder("has a document of another form");
}

/** Compares as the database does, by UTF-8 bytes. Only escaped characters are decoded for that. */
function compareStrings(a: StringContent, b: StringContent): number {
  const lengthOfA = a.end - a.start;
  const lengthOfB = b.end - b.start;
  const length = Math.min(lengthOfA, lengthOfB);
  for (let index = 0; index < length; index++) {
    const byteOfA = a.bytes[a.start + index] ?? 0;
    const byteOfB = b.bytes[b.start + index] ?? 0;
    if (byteOfA === backslash || byteOfB === backslash) return decoded(a).compare(decoded(b));
    if (byteOfA !== byteOfB) return byteOfA - byteOfB;
  }
  return lengthOfA - lengthOfB;
}

function decoded({ bytes, start, end }: StringContent): Buffer {
  return Buffer.from(JSON.parse(`"${bytes.toString("utf8", start, end)}"`));
}

/** The buffer, or a larger one if so many bytes do not fit in it. */
function withRoom(buffer: Buffer, length: number): Buffer {
  return length <= buffer.length ? buffer : Buffer.alloc(2 * length);
}

function outOfOrder(what: string): Error {
  return new Error(`Cannot show a tree: the row of an upload ${what}`);
}
