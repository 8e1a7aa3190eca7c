/**
 * Parquet files describe themselves in structures of Thrift's compact protocol. A structure states
 * the sizes of its lists and texts, and readers believe it. So what it states is checked first.
 */
import { errorText } from "@stowage/process";

/** Structures in structures; those of Parquet have at most 7 levels. */
const levelsMax = 16;

/** Types of values, and the bytes of those with a fixed size. Parquet has no maps and sets. */
const listType = 9;
const structureType = 12;
const textType = 8;
const fixedBytes: Readonly<Record<number, number>> = { 1: 0, 2: 0, 3: 1, 7: 8 };
const varintTypes: ReadonlySet<number> = new Set([4, 5, 6]);

interface Position {
  readonly view: DataView;
  at: number;
  fields: number;
  readonly fieldsMax: number;
}

/**
 * Returns how many bytes the structure has that the view begins with.
 *
 * @param limits.max most fields and elements of lists: each takes some dozen bytes of memory.
 * @throws Error if the structure has more, or does not end in the view.
 */
export function checkThrift(
  view: DataView,
  { what, max }: { readonly what: string; readonly max: number },
): number {
  const position = { view, at: 0, fields: 0, fieldsMax: max };
  try {
    skipStructure(position, levelsMax);
  } catch (error) {
    throw new Error(`${what} cannot be read: ${errorText(error)}`);
  }
  return position.at;
}

function skipStructure(position: Position, levelsLeft: number): void {
  if (levelsLeft === 0) throw new Error(`it has over ${levelsMax} levels of structures`);
  for (let head = readByte(position); (head & 15) !== 0; head = readByte(position)) {
    // A field's number follows if it is not written as the distance from the field before it.
    if (head >> 4 === 0) readVarint(position);
    skipValue(position, head & 15, levelsLeft);
  }
}

function skipValue(position: Position, type: number, levelsLeft: number): void {
  if (position.fields === position.fieldsMax) {
    throw new Error(`it has more than ${position.fieldsMax} fields`);
  }
  position.fields += 1;
  const bytes = fixedBytes[type];
  if (bytes !== undefined) skipBytes(position, bytes);
  else if (varintTypes.has(type)) readVarint(position);
  else if (type === textType) skipBytes(position, readVarint(position));
  else if (type === listType) skipList(position, levelsLeft - 1);
  else if (type === structureType) skipStructure(position, levelsLeft - 1);
  else throw new Error(`it has a field of the unknown type ${type}`);
}

function skipList(position: Position, levelsLeft: number): void {
  if (levelsLeft === 0) throw new Error(`it has over ${levelsMax} levels of structures`);
  const head = readByte(position);
  const length = head >> 4 === 15 ? readVarint(position) : head >> 4;
  // Each element takes a byte at least.
  requireBytes(position, length);
  const type = head & 15;
  const isBoolean = type === 1 || type === 2;
  for (let index = 0; index < length; index += 1) {
    skipValue(position, isBoolean ? 3 : type, levelsLeft);
  }
}

function readByte(position: Position): number {
  requireBytes(position, 1);
  return position.view.getUint8(position.at++);
}

/** Numbers of 64 bits take up to ten bytes. Only those below 2^53 are exact. */
function readVarint(position: Position): number {
  let value = 0;
  for (let index = 0; index < 10; index += 1) {
    const byte = readByte(position);
    value += (byte & 127) * 2 ** (7 * index);
    if (byte < 128) return value;
  }
  throw new Error("it has a number of over 64 bits");
}

function skipBytes(position: Position, count: number): void {
  requireBytes(position, count);
  position.at += count;
}

function requireBytes({ view, at }: Position, count: number): void {
  const left = view.byteLength - at;
  if (count > left) throw new Error(`it needs ${count} more bytes, and ${left} are left`);
}
