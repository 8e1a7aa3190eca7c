/**
 * The values of a column in a row group of a Parquet file, page by page. The library decodes pages,
 * and believes what they say about their sizes. So that is checked before.
 */
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import {
  type AsyncBuffer,
  type ColumnMetaData,
  type PageHeader,
  type SchemaTree,
  snappyUncompress,
} from "hyparquet";
import { parquetHeader, readPage } from "hyparquet/src/column.js";
import { convert, DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { keyOfBytes } from "../keys.ts";
import { checkRle } from "./check-rle.ts";
import { checkThrift } from "./check-thrift.ts";

/** A header has some 30 bytes, and statistics: up to four keys of 1,024 bytes. */
const headerBytesMax = 64 * 1024;
const headerFieldsMax = 1000;
/** Most writers end a page at 1 MiB, some at 100 MB. */
const pageBytesMax = 128 * 1024 * 1024;
/** Repeated values take no space: a page may have all rows of a group, two million in 128 MiB. */
const pageValuesMax = 5_000_000;

/** With others, a value of few bytes may claim any length. */
const encodings: readonly (string | undefined)[] = [
  ...["PLAIN", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "RLE"],
  ...["DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY"],
];

type Values = ReturnType<typeof convert>;

export interface ColumnChunk {
  readonly metadata: ColumnMetaData;
  /** The root of the schema, and the column: it is not nested. */
  readonly schemaPath: [root: SchemaTree, column: SchemaTree];
  readonly rowCount: number;
}

/** Yields as many values as the group has rows. @throws Error that says what is wrong. */
export async function* columnPages(
  file: AsyncBuffer,
  chunk: ColumnChunk,
): AsyncGenerator<Values, undefined> {
  const { metadata, rowCount } = chunk;
  let at = Number(metadata.dictionary_page_offset || metadata.data_page_offset);
  const end = at + Number(metadata.total_compressed_size);
  if (!(at >= 0 && at <= end && end <= file.byteLength)) {
    throw new Error(`it is at bytes ${at} to ${end}; need at most ${file.byteLength}`);
  }
  let dictionary: Values | undefined;
  for (let row = 0; row < rowCount; ) {
    if (at >= end) throw new Error(`it has ${row} values; need ${rowCount}, one for each row`);
    const { header, headerBytes } = await readHeader(file, at, end);
    at += headerBytes;
    const { compressed_page_size: pageBytes } = header;
    requireAtMost(end - at, pageBytes, "bytes in its last page");
    const content = new Uint8Array(await file.slice(at, at + pageBytes));
    at += pageBytes;
    const values = decode(content, header, chunk, dictionary);
    if (header.type === "DICTIONARY_PAGE") {
      dictionary = convert(values, decoderOf(chunk));
    } else {
      requireAtMost(rowCount - row, values.length, `values after the first ${row}`);
      row += values.length;
      yield values;
    }
  }
}

async function readHeader(file: AsyncBuffer, at: number, end: number) {
  const view = new DataView(await file.slice(at, Math.min(at + headerBytesMax, end)));
  const headerBytes = checkThrift(view, { what: "the header of its page", max: headerFieldsMax });
  const header = parquetHeader({ view, offset: 0 });
  requireAtMost(pageBytesMax, header.compressed_page_size, "compressed bytes in a page");
  requireAtMost(pageBytesMax, header.uncompressed_page_size, "bytes in a page");
  return { header, headerBytes };
}

function decode(
  content: Uint8Array,
  header: PageHeader,
  chunk: ColumnChunk,
  dictionary: Values | undefined,
): Values {
  const { metadata, schemaPath } = chunk;
  const { num_values: count, encoding } = contentOf(header);
  requireAtMost(pageValuesMax, count, "values in a page");
  if (!encodings.includes(encoding)) {
    throw new Error(`it has the encoding ${encoding}; need ${encodings.join(", ")}`);
  }
  const page = decompress(content, header, metadata.codec);
  if (header.type === "DICTIONARY_PAGE") {
    requireAtMost(page.length, count, "values in a dictionary of so many bytes");
  } else {
    const present = checkRle(page, header, {
      isNullable: schemaPath[1].element.repetition_type !== "REQUIRED",
      isBoolean: metadata.type === "BOOLEAN",
      hasDictionary: dictionary !== undefined,
    });
    // Writers may leave out the content of such a page.
    if (present === 0) return new Array(count).fill(null);
  }
  const sizes = { compressed_page_size: page.length, uncompressed_page_size: page.length };
  const reader = { view: new DataView(page.buffer as ArrayBuffer), offset: 0 };
  const decoder = decoderOf(chunk);
  const { data } = readPage(reader, { ...header, ...sizes }, decoder, dictionary, undefined, 0);
  if (data?.length === count && !(Array.isArray(data) && data.includes(undefined))) return data;
  throw new Error(`it has a page that lacks some of its ${count} values`);
}

function contentOf(header: PageHeader): { readonly num_values: number; readonly encoding: string } {
  const { type, data_page_header: version1, data_page_header_v2: version2 } = header;
  const pages = {
    DATA_PAGE: version1,
    DATA_PAGE_V2: version2,
    DICTIONARY_PAGE: header.dictionary_page_header,
    INDEX_PAGE: undefined,
  };
  const content = pages[type];
  if (content !== undefined) return content;
  throw new Error(`it has a page of the type ${type}; need data or a dictionary`);
}

/** The page in a buffer of its own, so that no length in it can lead to other memory. */
function decompress(content: Uint8Array, header: PageHeader, codec: string): Uint8Array {
  const { uncompressed_page_size: sizeBytes, data_page_header_v2: version2 } = header;
  if (codec === "UNCOMPRESSED" || version2?.is_compressed === false) {
    if (content.length === sizeBytes) return content;
    throw new Error(`it has a page of ${content.length} bytes that claims ${sizeBytes}`);
  }
  const decompressInto = codecs[codec];
  if (decompressInto === undefined) {
    const known = ["UNCOMPRESSED", ...Object.keys(codecs)].join(", ");
    throw new Error(`it is compressed by ${codec}; need ${known}`);
  }
  // In version 2, the levels precede what is compressed.
  const levelBytes = version2?.definition_levels_byte_length ?? 0;
  requireAtMost(Math.min(content.length, sizeBytes), levelBytes, "bytes of levels in a page");
  const page = new Uint8Array(sizeBytes);
  page.set(content.subarray(0, levelBytes));
  if (sizeBytes > levelBytes) {
    decompressInto(content.subarray(levelBytes), page.subarray(levelBytes));
  }
  return page;
}

/** Each fills the output, or throws. */
const codecs: Readonly<Record<string, (input: Uint8Array, output: Uint8Array) => void>> = {
  SNAPPY: snappyUncompress,
  GZIP: (input, output) => fill(output, gunzipSync(input, { maxOutputLength: output.length })),
  ZSTD: (input, output) =>
    fill(output, zstdDecompressSync(input, { maxOutputLength: output.length })),
};

function fill(output: Uint8Array, content: Uint8Array): void {
  if (content.length !== output.length) {
    throw new Error(`it has a page of ${content.length} bytes that claims ${output.length}`);
  }
  output.set(content);
}

/** For a page that is no longer compressed. Text that is not UTF-8 stays bytes. */
function decoderOf({ metadata, schemaPath }: ColumnChunk) {
  return {
    pathInSchema: metadata.path_in_schema,
    type: metadata.type,
    element: schemaPath[1].element,
    schemaPath,
    codec: "UNCOMPRESSED" as const,
    parsers: { ...DEFAULT_PARSERS, stringFromBytes: keyOfBytes },
  };
}

/** @throws Error also for what is not a number. */
export function requireAtMost(max: number, value: number, what: string): void {
  if (value >= 0 && value <= max) return;
  throw new Error(`it has ${value} ${what}; need at most ${max}`);
}
