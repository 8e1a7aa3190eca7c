/** For tests: changes Parquet files, also into ones that no writer makes. */
import {
  type ColumnMetaData,
  type FileMetaData,
  type PageHeader,
  parquetMetadata,
} from "hyparquet";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";

const mark = "PAR1";

/** With other metadata, which `change` edits in place. */
export function withMetadata(content: Buffer, change: (metadata: FileMetaData) => void): Buffer {
  const metadata = parquetMetadata(new Uint8Array(content));
  // Their types would have to be those of the schema.
  for (const chunk of chunksOf(metadata)) delete chunk.statistics;
  change(metadata);
  const writer = new ByteWriter();
  writeMetadata(writer, metadata);
  return withMetadataBytes(content, Buffer.from(writer.getBytes()));
}

export function withMetadataBytes(content: Buffer, metadata: Buffer): Buffer {
  const metadataBytes = content.readUInt32LE(content.length - 8);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(metadata.length);
  const pages = content.subarray(0, content.length - 8 - metadataBytes);
  return Buffer.concat([pages, metadata, length, Buffer.from(mark)]);
}

interface Column {
  readonly name: string;
  readonly codec?: "UNCOMPRESSED" | "GZIP" | "BROTLI";
  readonly pages: readonly Buffer[];
}

/** With these pages as the column in the first row group. */
export function withPages(content: Buffer, { name, codec, pages }: Column): Buffer {
  const added = Buffer.concat(pages);
  const changed = Buffer.concat([content.subarray(0, 4), added, content.subarray(4)]);
  return withMetadata(changed, (metadata) => {
    for (const chunk of chunksOf(metadata)) {
      if (chunk.path_in_schema[0] === name) {
        chunk.codec = codec ?? "UNCOMPRESSED";
        chunk.total_compressed_size = BigInt(added.length);
        chunk.data_page_offset = 4n;
        delete chunk.dictionary_page_offset;
      } else {
        chunk.data_page_offset += BigInt(added.length);
        const { dictionary_page_offset: dictionary } = chunk;
        if (dictionary) chunk.dictionary_page_offset = dictionary + BigInt(added.length);
      }
    }
  });
}

function chunksOf({ row_groups: groups }: FileMetaData): ColumnMetaData[] {
  const chunks = groups.flatMap(({ columns }) => columns.map(({ meta_data: chunk }) => chunk));
  return chunks.filter((chunk) => chunk !== undefined);
}

type Encoding = NonNullable<PageHeader["data_page_header"]>["encoding"];

/** A data page of version 1. `levels` precede its values if the column is nullable. */
export function dataPage(
  encoding: Encoding,
  count: number,
  content: Buffer,
  changes: Partial<PageHeader> = {},
): Buffer {
  const levels = { definition_level_encoding: "RLE", repetition_level_encoding: "RLE" } as const;
  const header = { num_values: count, encoding, ...levels };
  return page({ type: "DATA_PAGE", data_page_header: header, ...changes }, content);
}

export function dictionaryPage(count: number, content: Buffer): Buffer {
  const header = { num_values: count, encoding: "PLAIN" as const };
  return page({ type: "DICTIONARY_PAGE", dictionary_page_header: header }, content);
}

function page(header: Omit<PageHeader, `${string}_page_size`>, content: Buffer): Buffer {
  const writer = new ByteWriter();
  const sizes = { uncompressed_page_size: content.length, compressed_page_size: content.length };
  writePageHeader(writer, { ...sizes, ...header });
  return Buffer.concat([writer.getBytes(), content]);
}

/** Runs, with their size before them. */
export function sizedRuns(...runs: readonly Buffer[]): Buffer {
  const content = Buffer.concat(runs);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  return Buffer.concat([size, content]);
}

/** A run of equal values, below 256. */
export function run(count: number, value: number): Buffer {
  const writer = new ByteWriter();
  writer.appendVarInt(count * 2);
  writer.appendUint8(value);
  return Buffer.from(writer.getBytes());
}

/** Texts in the encoding PLAIN. */
export function plainTexts(...texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const size = Buffer.alloc(4);
      size.writeUInt32LE(Buffer.byteLength(text));
      return [size, Buffer.from(text)];
    }),
  );
}
