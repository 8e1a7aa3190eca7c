/**
 * Keys of objects as paths in a bucket: a folder's path, and a filename in it. Different keys have
 * different paths, and `keyOfPath` gives the key back. The path and the name are the key's
 * segments, except for those that no path may have (api/sources.md).
 */
import { isUtf8 } from "node:buffer";
import { filenameBytesMax } from "../model/limits.ts";
import { normalisePath, PathError } from "../model/path.ts";

/**
 * The name of an object in its store, or a file's path under a directory. As bytes only if it is
 * not valid UTF-8: `keyOfBytes` makes this one form.
 */
export type Key = string | Uint8Array;

/** A key that the index cannot hold. The message says why. */
export class KeyError extends Error {
  override readonly name = "KeyError";
}

/** Where a source is: the keys that begin with `prefix` are under the folder at `mountPath`. */
export interface Mount {
  /** Empty, or ends with `/`. */
  readonly prefix: string;
  /** In normal form. */
  readonly mountPath: string;
}

/** Of an upload, or of a folder if there is no filename. */
interface UploadPath {
  /** Of the folder, or of the folder that holds the upload; in normal form. */
  readonly path: string;
  readonly filename: string | undefined;
}

/**
 * The path of an object. A key that ends with `/` is a folder if the object is empty, and the
 * prefix itself is the mount folder.
 *
 * @param key begins with the prefix.
 * @throws KeyError if the path or the filename is over the limits of the index.
 */
export function pathOfKey(key: Key, sizeBytes: number, { prefix, mountPath }: Mount): UploadPath {
  const segments = segmentsOf(withoutPrefix(key, prefix));
  const last = segments.pop() as string;
  const isFolder = last === emptySegment && sizeBytes === 0;
  const nameBytes = Buffer.byteLength(last);
  if (!isFolder && nameBytes > filenameBytesMax) {
    throw new KeyError(
      `its name takes ${nameBytes} bytes in the index; need at most ${filenameBytesMax}`,
    );
  }
  const under = mountPath === "/" ? "" : mountPath;
  try {
    const path = normalisePath([under, ...segments].join("/"));
    return { path, filename: isFolder ? undefined : last };
  } catch (error) {
    if (error instanceof PathError) throw new KeyError(`its path ${error.message}`);
    throw error;
  }
}

/** The key of the object at a path, which is the mount's or under it. */
export function keyOfPath({ path, filename }: UploadPath, { prefix, mountPath }: Mount): Key {
  const inner = path.slice(mountPath === "/" ? 1 : mountPath.length + 1);
  const segments = inner === "" ? [] : inner.split("/");
  const parts = [...segments, filename ?? emptySegment].map(bytesOfSegment);
  const separated = parts.flatMap((part, index) => (index === 0 ? [part] : [slash, part]));
  return keyOfBytes(Buffer.concat([Buffer.from(prefix), ...separated]));
}

/** A key as readable text, with bytes that are not UTF-8, and U+0000, as `%XX`. */
export function externalPathOf(key: Key): string {
  return textOf(key);
}

export function keyOfBytes(bytes: Uint8Array): Key {
  return isUtf8(bytes) ? Buffer.from(bytes).toString() : bytes;
}

export function bytesOfKey(key: Key): Buffer {
  return Buffer.from(key as string);
}

/** Decodes a percent-encoded key, as stores list it, in which `+` is a space. */
export function decodeKey(encoded: string): Key {
  const text = encoded.replaceAll("+", " ");
  if (!text.includes("%")) return text;
  try {
    // Six times as fast as `percentDecode`.
    return decodeURIComponent(text);
  } catch {
    // Bytes that are not UTF-8, or a bare `%`.
    return keyOfBytes(percentDecode(text));
  }
}

/** Compares by bytes: stores list keys in this order. */
export function compareKeys(a: Key, b: Key): number {
  if (a === b) return 0;
  // Text without surrogates has the same order in UTF-16 and UTF-8.
  if (typeof a === "string" && typeof b === "string" && !surrogate.test(a) && !surrogate.test(b)) {
    return a < b ? -1 : 1;
  }
  return Buffer.compare(bytesOfKey(a), bytesOfKey(b));
}

/** The later one of two keys; of one key, that one. */
export function laterOf(a: Key | undefined, b: Key | undefined): Key | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareKeys(a, b) > 0 ? a : b;
}

const surrogate = /[\ud800-\udfff]/;
const slash = Buffer.from("/");

/** The empty segment, as paths write it. */
const emptySegment = "%";

export function hasPrefix(key: Key, prefix: string): boolean {
  if (typeof key === "string") return key.startsWith(prefix);
  const bytes = bytesOfKey(prefix);
  return bytesOfKey(key).subarray(0, bytes.length).equals(bytes);
}

function withoutPrefix(key: Key, prefix: string): Key {
  if (typeof key === "string") return key.slice(prefix.length);
  return key.subarray(Buffer.byteLength(prefix));
}

function segmentsOf(key: Key): string[] {
  if (typeof key === "string") return key.split("/").map(segmentOf);
  // In this form each byte is one character.
  const segments = Buffer.from(key).toString("latin1").split("/");
  return segments.map((segment) => segmentOf(keyOfBytes(Buffer.from(segment, "latin1"))));
}

/** `%` and two hexadecimal digits: what is decoded when a segment is read back. */
const escaped = /%[0-9a-f]{2}/i;

/**
 * A segment of a key as paths have it. Empty segments, `.`, `..`, U+0000 and bytes that are not
 * UTF-8 are written with `%`. Where that is so, or the segment would look like it, each `%` of the
 * segment itself is written `%25`.
 */
function segmentOf(segment: Key): string {
  if (segment === "") return emptySegment;
  if (segment === ".") return "%2E";
  if (segment === "..") return "%2E%2E";
  const isPlain =
    typeof segment === "string" &&
    segment !== emptySegment &&
    !segment.includes("\0") &&
    !escaped.test(segment);
  return isPlain ? segment : textOf(segment, "%25");
}

function bytesOfSegment(segment: string): Buffer {
  return segment === emptySegment ? Buffer.alloc(0) : percentDecode(segment);
}

/** A `%` without two hexadecimal digits stays as it is. */
function percentDecode(text: string): Buffer {
  if (!escaped.test(text)) return Buffer.from(text);
  const pieces = text.split(/%([0-9a-f]{2})/i);
  // Every second piece is the digits of one byte.
  return Buffer.concat(
    pieces.map((piece, index) => Buffer.from(piece, index % 2 === 0 ? "utf8" : "hex")),
  );
}

/** The key as text that can be stored: what is not UTF-8, and U+0000, as `%XX`. */
function textOf(key: Key, percent = "%"): string {
  if (typeof key === "string") return key.replaceAll("%", percent).replaceAll("\0", "%00");
  let text = "";
  for (let at = 0; at < key.length; ) {
    const length = characterLength(key, at);
    const character = Buffer.from(key.subarray(at, at + (length || 1)));
    const isEscaped = length === 0 || key[at] === 0;
    const shown = isEscaped ? `%${character.toString("hex").toUpperCase()}` : character.toString();
    text += shown === "%" ? percent : shown;
    at += length || 1;
  }
  return text;
}

/** The bytes of the valid character that begins there; 0 if there is none. */
function characterLength(bytes: Uint8Array, at: number): number {
  for (const length of [1, 2, 3, 4]) {
    if (at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}
