/**
 * Pages of Parquet files store levels (whether a row has a value), positions in the dictionary, and
 * booleans by run-length encoding (RLE). A run states how many values it has, and the library makes
 * that many. So runs are checked against the number of values that the page has.
 */
import type { PageHeader } from "hyparquet";

interface PageUse {
  readonly isNullable: boolean;
  readonly isBoolean: boolean;
  /** Whether a dictionary precedes the page. */
  readonly hasDictionary: boolean;
}

/** Returns how many rows of a page have a value. @throws Error if the page cannot be read. */
export function checkRle(page: Uint8Array, header: PageHeader, use: PageUse): number {
  const { data_page_header: version1, data_page_header_v2: version2 } = header;
  const { num_values: count = 0, encoding } = version1 ?? version2 ?? {};
  let present = count;
  let at = 0;
  if (version2 !== undefined) {
    at = version2.definition_levels_byte_length;
    const { repetition_levels_byte_length: repetitionBytes } = version2;
    if (repetitionBytes !== 0) throw new Error("its page is of lists; need one value a row");
    if (use.isNullable) present = readRuns(page.subarray(0, at), 1, count);
    const { num_nulls: nulls, num_rows: rows } = version2;
    if (nulls !== count - present || rows !== count) {
      throw new Error(`its page of ${count} values claims ${nulls} nulls and ${rows} rows`);
    }
  } else if (use.isNullable) {
    const levels = sized(page, 0);
    present = readRuns(levels, 1, count);
    at = sizeBytes + levels.length;
  }
  if (present > 0) checkValues(page.subarray(at), present, { ...use, encoding });
  return present;
}

function checkValues(
  values: Uint8Array,
  count: number,
  { encoding = "", isBoolean, hasDictionary }: PageUse & { readonly encoding?: string | undefined },
): void {
  if (encoding === "RLE") {
    if (!isBoolean) throw new Error("it has runs of values, and is not of booleans");
    readRuns(sized(values, 0), 1, count);
  }
  if (!encoding.endsWith("_DICTIONARY")) return;
  if (!hasDictionary) throw new Error("it has no dictionary before the page that uses it");
  const [width = 0] = values;
  if (width > 32) throw new Error(`its positions in the dictionary have ${width} bits; need 32`);
  // With a width of 0, all values are the first of the dictionary. Some writers omit the run then.
  if (width > 0 || values.length > 1) readRuns(values.subarray(1), width, count);
}

/** The bytes of a number that precedes runs: their size. */
const sizeBytes = 4;

function sized(bytes: Uint8Array, at: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = bytes.length < sizeBytes ? sizeBytes : view.getUint32(at, true);
  const left = bytes.length - at - sizeBytes;
  if (size > left) throw new Error(`its page has runs of ${size} bytes in ${Math.max(0, left)}`);
  return bytes.subarray(at + sizeBytes, at + sizeBytes + size);
}

/** Packed runs are groups of eight values. Some writers pad to 64 groups: 511 values too many. */
const fillersMax = 511;

/** Reads runs until they have `count` values. Returns how many of these are not 0. */
function readRuns(runs: Uint8Array, width: number, count: number): number {
  let at = 0;
  let present = 0;
  for (let left = count; left > 0; ) {
    const { values, isPacked, next } = readHead(runs, at, left);
    const used = Math.min(values, left);
    const contentBytes = Math.ceil((width * (isPacked ? used : 1)) / 8);
    const content = runs.subarray(next, next + contentBytes);
    if (content.length < contentBytes) throw new Error(cutOff);
    present += isPacked ? countBits(content, used) : used * Number(content[0] !== 0);
    at = next + Math.ceil((width * (isPacked ? values : 1)) / 8);
    left -= used;
  }
  return present;
}

function readHead(runs: Uint8Array, at: number, left: number) {
  const { value: head, next } = readVarint(runs, at);
  const isPacked = head % 2 === 1;
  const values = Math.floor(head / 2) * (isPacked ? 8 : 1);
  if (values <= left + (isPacked ? fillersMax : 0)) return { values, isPacked, next };
  throw new Error(`its page has a run of ${values} values where ${left} are left`);
}

const cutOff = "its page has a run that is cut off";

/** How many of the first bits are 1. */
function countBits(bytes: Uint8Array, count: number): number {
  let found = 0;
  for (let index = 0; index < count; index += 1) {
    found += ((bytes[index >> 3] ?? 0) >> (index & 7)) & 1;
  }
  return found;
}

function readVarint(bytes: Uint8Array, start: number): { value: number; next: number } {
  let value = 0;
  for (let index = 0; index < 5; index += 1) {
    const byte = bytes[start + index];
    if (byte === undefined) throw new Error(cutOff);
    value += (byte & 127) * 2 ** (7 * index);
    if (byte < 128) return { value, next: start + index + 1 };
  }
  throw new Error("its page has a run of over 2^32 values");
}
