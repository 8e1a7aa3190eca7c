/**
 * Reads the rows of a Parquet file of an Inventory report from the disk. What the file says about
 * its own sizes is checked before memory is taken for it.
 */
import type { FileHandle } from "node:fs/promises";
import { errorText } from "@stowage/process";
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadata,
  parquetSchema,
  type RowGroup,
  type SchemaTree,
} from "hyparquet";
import { checkThrift } from "./check-thrift.ts";
import { type ColumnChunk, columnPages, requireAtMost } from "./parquet-pages.ts";
import { type ReportRow, readFlag, requireColumns } from "./report-row.ts";

/** A file of 8 GiB in groups of 16 MiB has some 2 MiB of metadata, and 200,000 fields. */
const metadataBytesMax = 32 * 1024 * 1024;
const metadataFieldsMax = 4_000_000;
/** Reports have some twenty columns, and none is nested. */
const schemaElementsMax = 1000;

interface ColumnForm {
  /** In CSV reports. */
  readonly name: string;
  readonly types: readonly (string | undefined)[];
}

const text = ["BYTE_ARRAY"];
const flag = ["BOOLEAN", "BYTE_ARRAY"];

/** The columns that are read, by their names in Parquet reports. */
const columnForms: Readonly<Record<string, ColumnForm>> = {
  bucket: { name: "Bucket", types: text },
  key: { name: "Key", types: text },
  version_id: { name: "VersionId", types: text },
  is_latest: { name: "IsLatest", types: flag },
  is_delete_marker: { name: "IsDeleteMarker", types: flag },
  size: { name: "Size", types: ["INT64", "INT32"] },
  last_modified_date: { name: "LastModifiedDate", types: ["INT64", "INT96"] },
  e_tag: { name: "ETag", types: text },
  storage_class: { name: "StorageClass", types: text },
};

/** @throws Error that says what is wrong with the file; StoreError if it lacks a column. */
export async function* parquetRows(handle: FileHandle): AsyncGenerator<ReportRow> {
  const file: AsyncBuffer = {
    byteLength: (await handle.stat()).size,
    async slice(start, end = file.byteLength) {
      const content = new Uint8Array(end - start);
      const { bytesRead } = await handle.read(content, 0, content.length, start);
      if (bytesRead < content.length) throw new Error(`it has no byte ${start + bytesRead}`);
      return content.buffer;
    },
  };
  const metadata = await readMetadata(file);
  const columns = findColumns(metadata);
  let rowCount = 0;
  for (const [number, group] of metadata.row_groups.entries()) {
    rowCount += Number(group.num_rows);
    yield* rowsOfGroup(file, group, { columns, number });
  }
  if (rowCount === Number(metadata.num_rows)) return;
  throw new Error(`it has ${rowCount} rows in its row groups; need ${metadata.num_rows}`);
}

/** The file ends with its metadata, their length, and a mark of four bytes. */
async function readMetadata(file: AsyncBuffer): Promise<FileMetaData> {
  const tailBytes = 8;
  if (file.byteLength < tailBytes + 4) throw new Error("it is too short for a Parquet file");
  const metadataEnd = file.byteLength - tailBytes;
  const length = new DataView(await file.slice(metadataEnd)).getUint32(0, true);
  requireAtMost(Math.min(metadataBytesMax, metadataEnd), length, "bytes of metadata");
  const tail = await file.slice(metadataEnd - length);
  checkThrift(new DataView(tail), { what: "its metadata", max: metadataFieldsMax });
  return inMetadata(() => parquetMetadata(tail, { geoparquet: false }));
}

function inMetadata<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`its metadata cannot be read: ${errorText(error)}`);
  }
}

/** The root of the schema, and each column that is read. */
function findColumns(metadata: FileMetaData): ReadonlyMap<string, ColumnChunk["schemaPath"]> {
  requireAtMost(schemaElementsMax, metadata.schema.length, "columns");
  const root = inMetadata(() => parquetSchema(metadata));
  const columns = new Map<string, ColumnChunk["schemaPath"]>();
  for (const column of root.children) {
    const { name } = column.element;
    const form = columnForms[name];
    if (form === undefined) continue;
    if (columns.has(name)) throw new Error(`it has the column ${name} twice; need one`);
    requireForm(column, form);
    columns.set(name, [root, column]);
  }
  requireColumns(Array.from(columns.keys(), (name) => columnForms[name]?.name ?? name));
  return columns;
}

function requireForm({ element, children }: SchemaTree, { types }: ColumnForm): void {
  const { name, type, repetition_type: repetition } = element;
  if (children.length > 0 || repetition === "REPEATED") {
    throw new Error(`its column ${name} is nested; need one value a row`);
  }
  if (types.includes(type)) return;
  throw new Error(`its column ${name} is ${type}; need ${types.join(" or ")}`);
}

interface GroupOptions {
  readonly columns: ReadonlyMap<string, ColumnChunk["schemaPath"]>;
  readonly number: number;
}

async function* rowsOfGroup(
  file: AsyncBuffer,
  group: RowGroup,
  { columns, number }: GroupOptions,
): AsyncGenerator<ReportRow> {
  const rowCount = Number(group.num_rows);
  requireAtMost(Number.MAX_SAFE_INTEGER, rowCount, `rows in its row group ${number}`);
  const cursors = Array.from(columns, ([name, schemaPath]) => ({
    name,
    pages: columnPages(file, { metadata: chunkOf(group, name, schemaPath), schemaPath, rowCount }),
    values: [] as ArrayLike<unknown>,
    at: 0,
  }));
  const failed = (name: string, error: unknown) =>
    new Error(`its column ${name} in row group ${number} cannot be read: ${errorText(error)}`);
  for (let row = 0; row < rowCount; row += 1) {
    const values: Record<string, unknown> = {};
    for (const cursor of cursors) {
      while (cursor.at === cursor.values.length) {
        const { value } = await cursor.pages.next().catch((error) => {
          throw failed(cursor.name, error);
        });
        cursor.values = value ?? [];
        cursor.at = 0;
      }
      values[cursor.name] = cursor.values[cursor.at++];
    }
    yield rowOfParquet(values);
  }
}

function chunkOf({ columns }: RowGroup, name: string, [, { element }]: ColumnChunk["schemaPath"]) {
  const chunks = columns.filter(({ meta_data: chunk }) => chunk?.path_in_schema[0] === name);
  const [chunk, ...others] = chunks;
  if (chunk?.meta_data === undefined || chunk.file_path !== undefined || others.length > 0) {
    throw new Error(`it has ${chunks.length} parts of the column ${name} in a row group; need 1`);
  }
  if (chunk.meta_data.type === element.type) return chunk.meta_data;
  throw new Error(
    `its column ${name} is ${chunk.meta_data.type}, but ${element.type} in its schema`,
  );
}

function rowOfParquet(row: Readonly<Record<string, unknown>>): ReportRow {
  const { key, size, last_modified_date: modified } = row;
  const textOf = (name: string) => readText(row[name]) || undefined;
  return {
    bucket: textOf("bucket"),
    key: typeof key === "string" || key instanceof Uint8Array ? key : "",
    versionId: textOf("version_id"),
    isLatest: readFlag(row.is_latest),
    isDeleteMarker: readFlag(row.is_delete_marker) ?? false,
    sizeBytes: size === null || size === undefined ? undefined : Number(size),
    modifiedAt: modified instanceof Date ? modified : undefined,
    etag: textOf("e_tag"),
    storageClass: textOf("storage_class"),
  };
}

function readText(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === "string" ? value : "";
}
