/**
 * Checks the order of rows while they are read. The statement requests the order of folders, and of
 * the uploads of one folder, but SQL cannot request that uploads directly follow their folder
 * without sorting all documents. The order of folders is checked by `TreeWalk`.
 */
import type { RowContent, TreeRowSink } from "./tree-rows.ts";
import type { TreeFolder } from "./tree-walk.ts";

// The documents begin with these members. The values between them are JSON strings.
const uploadIdAt = '{"uploadId":"'.length;
const toFilename = '","filename":"'.length;
const toPath = '","path":'.length;
const folderPathAt = '{"folderId":"00000000-0000-0000-0000-000000000000","path":'.length;

/** Passes rows on. Throws when an upload does not follow its folder, by filename, then ID. */
export class UploadOrder implements TreeRowSink {
  readonly #rows: TreeRowSink;
  /** The path of the current folder, as a JSON string. */
  #path = Buffer.alloc(1024);
  #pathLength = 0;
  /** The start of the previous upload's document, to the end of its filename. */
  #previous = Buffer.alloc(1024);
  /** Where the ID and the filename end in it; 0 when the folder has had no upload yet. */
  #idEnd = 0;
  #filenameEnd = 0;

  constructor(rows: TreeRowSink) {
    this.#rows = rows;
  }

  folder(folder: TreeFolder<RowContent>): void {
    const { document } = folder.content;
    this.#pathLength = 0;
    this.#filenameEnd = 0;
    // Folders below the depth limit have no document.
    if (document.length > 0) this.#keepPath(document);
    this.#rows.folder(folder);
  }

  #keepPath(document: Buffer): void {
    const end = stringEnd(document, folderPathAt + 1) + 1;
    this.#pathLength = end - folderPathAt;
    if (this.#pathLength > this.#path.length) this.#path = Buffer.alloc(2 * this.#pathLength);
    document.copy(this.#path, 0, folderPathAt, end);
  }

  upload(upload: RowContent): void {
    const { document } = upload;
    const idEnd = stringEnd(document, uploadIdAt);
    const filenameEnd = stringEnd(document, idEnd + toFilename);
    this.#requireFolder(document, filenameEnd + toPath);
    if (this.#filenameEnd > 0) this.#requireAfterPrevious(document, idEnd, filenameEnd);
    if (filenameEnd > this.#previous.length) this.#previous = Buffer.alloc(2 * filenameEnd);
    document.copy(this.#previous, 0, 0, filenameEnd);
    this.#idEnd = idEnd;
    this.#filenameEnd = filenameEnd;
    this.#rows.upload(upload);
  }

  #requireFolder(document: Buffer, pathAt: number): void {
    const path = this.#path;
    const length = this.#pathLength;
    if (length === 0) throw outOfOrder("follows a folder that lists no uploads");
    let same = 0;
    while (same < length && document[pathAt + same] === path[same]) same += 1;
    if (same < length) throw outOfOrder("does not follow its folder");
  }

  #requireAfterPrevious(document: Buffer, idEnd: number, filenameEnd: number): void {
    const previous = this.#previous;
    const filenameAt = idEnd + toFilename;
    const previousFilenameAt = this.#idEnd + toFilename;
    const byFilename = compareStrings(
      [previous, previousFilenameAt, this.#filenameEnd],
      [document, filenameAt, filenameEnd],
    );
    if (byFilename < 0) return;
    const byId = compareStrings([previous, uploadIdAt, this.#idEnd], [document, uploadIdAt, idEnd]);
    if (byFilename > 0 || byId >= 0) throw outOfOrder("does not follow the one before it");
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Where the JSON string ends whose content starts at `from`: the place of its last quote. */
function stringEnd(document: Buffer, from: number): number {
  for (let at = from; at < document.length; at++) {
    const byte = document[at];
    if (byte === quote) return at;
    if (byte === backslash) at += 1;
  }
  throw outOfOrder("has a document of another form");
}

/** The content of a JSON string: from a place in the bytes to before another. */
type StringContent = readonly [bytes: Buffer, from: number, to: number];

/** Compares texts by their UTF-8 bytes. Only escaped characters have to be decoded for that. */
function compareStrings(a: StringContent, b: StringContent): number {
  const [bytesOfA, fromA, toA] = a;
  const [bytesOfB, fromB, toB] = b;
  const length = Math.min(toA - fromA, toB - fromB);
  for (let index = 0; index < length; index++) {
    const byteOfA = bytesOfA[fromA + index] ?? 0;
    const byteOfB = bytesOfB[fromB + index] ?? 0;
    if (byteOfA === backslash || byteOfB === backslash) return decoded(a).compare(decoded(b));
    if (byteOfA !== byteOfB) return byteOfA - byteOfB;
  }
  return toA - fromA - (toB - fromB);
}

function decoded([bytes, from, to]: StringContent): Buffer {
  return Buffer.from(JSON.parse(`"${bytes.toString("utf8", from, to)}"`));
}

function outOfOrder(what: string): Error {
  return new Error(`Cannot show a tree: the row of an upload ${what}`);
}
