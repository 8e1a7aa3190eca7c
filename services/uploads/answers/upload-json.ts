/** Makes the JSON of an upload, as answers have it, from the columns of its row. */
import { UploadTypeSchema } from "@stowage/api/svc/api/v1/upload_pb";
import type { JsonOutput } from "../json/json-output.ts";
import { addTime } from "../json/time-output.ts";
import type { BinaryRow } from "../postgres/binary-row.ts";
import { uploadDetails } from "./members.ts";
import {
  addMember,
  addString,
  addUuid,
  constants,
  integrationDocument,
  placesOf,
  quote,
} from "./row-values.ts";

/** The columns, in SQL over an upload `u`, with their types. */
const columns = {
  path: ["u.path", "text"],
  uploadId: ["u.upload_id", "text"],
  filename: ["u.filename", "text"],
  slug: ["u.slug", "text"],
  sizeBytes: ["u.size_bytes", "bigint"],
  type: ["u.type", "smallint"],
  tags: ["u.tags", "text[]"],
  integrationId: ["u.integration_id", "uuid"],
  integration: [integrationDocument("u.integration_id"), "text"],
  createdAt: ["u.created_at", "timestamptz"],
  updatedAt: ["u.updated_at", "timestamptz"],
  order: ['u."order"', "integer"],
  integrationHidden: ["u.integration_hidden", "boolean"],
  hasContent: ["u.source_id is not null", "boolean"],
  externalPath: ["u.external_path", "text"],
  intentMetadata: ["u.intent_metadata", "jsonb"],
  details: ["u.details", "text"],
} as const;

const place = placesOf(columns);

/** The columns that `UploadJson` reads, in SQL over an upload `u`. */
export function uploadColumns({ withIntegration }: { readonly withIntegration: boolean }): string {
  return Object.entries(columns)
    .map(([name, [sql]]) => (name === "integration" && !withIntegration ? "null" : sql))
    .join(", ");
}

/** The same columns, with nothing in them but the size. */
export const sizeColumns = Object.entries(columns)
  .map(([name, [sql, type]]) => {
    if (name === "sizeBytes") return sql;
    return name === "filename" ? "''::text" : `null::${type}`;
  })
  .join(", ");

/** The same columns of a row that is no upload, but for the first, which is free. */
export const noUploadColumns = Object.values(columns)
  .slice(1)
  .map(([, type]) => `null::${type}`)
  .join(", ");

interface Options {
  /** Addresses of content begin with it. Undefined: uploads have no such address. */
  readonly baseUrl: string | undefined;
  readonly bucketId: string;
  /** Where the columns begin in a row. Default 0. */
  readonly firstColumn?: number;
}

/** Writes uploads of one bucket. */
export class UploadJson {
  readonly #first: number;
  /** The start of each address of content. */
  readonly #contentStart: Buffer | undefined;

  constructor({ baseUrl, bucketId, firstColumn = 0 }: Options) {
    this.#first = firstColumn;
    if (baseUrl === undefined) return;
    const address = JSON.stringify(`${baseUrl.replace(/\/$/, "")}/content/${bucketId}/`);
    this.#contentStart = Buffer.from(`,"contentUrl":${address.slice(0, -1)}`);
  }

  /** Whether the row is an upload. */
  isUpload(row: BinaryRow): boolean {
    return !row.isNull(this.#first + place.filename);
  }

  /** The places in the row of what the uploads of a folder are ordered by. */
  get orderColumns() {
    return { filename: this.#first + place.filename, uploadId: this.#first + place.uploadId };
  }

  write(row: BinaryRow, output: JsonOutput): void {
    const first = this.#first;
    const hasDetails = uploadDetails.read(row, first + place.details);
    output.add(parts.uploadId);
    addString(output, row, first + place.uploadId);
    output.add(parts.filename);
    const filename = first + place.filename;
    addString(output, row, filename);
    output.add(parts.path);
    addString(output, row, first + place.path);
    output.add(parts.slug);
    const slug = first + place.slug;
    addString(output, row, row.isNull(slug) ? filename : slug);
    this.#addAddresses(row, output, hasDetails);
    output.addInteger(row.integer(first + place.sizeBytes));
    output.add(types[row.smallInteger(first + place.type)] ?? nothing);
    addTags(output, row, first + place.tags);
    this.#addProperties(row, output, hasDetails);
    addTime(output, row.bytes, row.start(first + place.createdAt));
    output.add(parts.updatedAt);
    addTime(output, row.bytes, row.start(first + place.updatedAt));
    this.#addPeople(row, output, hasDetails);
    addString(output, row, first + place.externalPath);
    output.add(parts.order);
    output.addInteger(row.int32(first + place.order));
    uploadDetails.add(output, "kind");
    const isHidden = row.isTrue(first + place.integrationHidden);
    output.add(isHidden ? parts.isHidden : parts.isShown);
  }

  /** Writes a row of `sizeColumns`. */
  writeSize(row: BinaryRow, output: JsonOutput): void {
    output.add(parts.sizeAlone);
    output.addInteger(row.integer(this.#first + place.sizeBytes));
    output.addByte(closingBrace);
  }

  // Most uploads have nothing of what comes between the members above: one constant.

  /** From the end of the slug to the size. */
  #addAddresses(row: BinaryRow, output: JsonOutput, hasDetails: boolean): void {
    const hasContent =
      row.isTrue(this.#first + place.hasContent) && this.#contentStart !== undefined;
    if (!hasContent && !hasDetails) {
      output.add(usual.addresses);
      return;
    }
    output.addByte(quote);
    uploadDetails.add(output, "url");
    if (hasContent) {
      output.add(this.#contentStart);
      addString(output, row, this.#first + place.uploadId);
      output.addByte(quote);
    } else {
      uploadDetails.add(output, "contentUrl");
    }
    output.add(parts.sizeBytes);
  }

  /** From the end of the tags to the creation time. */
  #addProperties(row: BinaryRow, output: JsonOutput, hasDetails: boolean): void {
    const integrationId = this.#first + place.integrationId;
    if (!hasDetails && row.isNull(integrationId)) {
      output.add(usual.properties);
      return;
    }
    output.add(parts.integrationId);
    addUuid(output, row, integrationId);
    output.addByte(quote);
    addMember(output, parts.integration, row, this.#first + place.integration);
    uploadDetails.add(output, "properties");
    output.add(parts.createdAt);
  }

  /** From the end of the change time to the external path. */
  #addPeople(row: BinaryRow, output: JsonOutput, hasDetails: boolean): void {
    const metadata = this.#first + place.intentMetadata;
    if (!hasDetails && row.isNull(metadata)) {
      output.add(usual.people);
      return;
    }
    output.addByte(quote);
    uploadDetails.add(output, "people");
    uploadDetails.add(output, "versions");
    output.add(parts.intentMetadata);
    addMetadata(output, row, metadata);
    output.add(parts.externalPath);
  }
}

const comma = 0x2c;
const closingBrace = 0x7d;
const nothing = Buffer.alloc(0);

const parts = constants({
  sizeAlone: '{"sizeBytes":',
  uploadId: '{"uploadId":"',
  filename: '","filename":"',
  path: '","path":"',
  slug: '","slug":"',
  sizeBytes: ',"sizeBytes":',
  integrationId: ',"integrationId":"',
  integration: ',"integration":',
  createdAt: ',"createdAt":"',
  updatedAt: '","updatedAt":"',
  intentMetadata: ',"intentMetadata":',
  externalPath: ',"externalPath":"',
  order: '","order":',
  isHidden: ',"integrationHidden":true}',
  isShown: ',"integrationHidden":false}',
});

const usual = constants({
  addresses: `"${uploadDetails.usual("url")}${uploadDetails.usual("contentUrl")}${parts.sizeBytes}`,
  properties: `${parts.integrationId}"${uploadDetails.usual("properties")}${parts.createdAt}`,
  people: `"${uploadDetails.usual("versions")}${parts.intentMetadata}{}${parts.externalPath}`,
});

const types: readonly Buffer[] = UploadTypeSchema.values
  .toSorted((one, other) => one.number - other.number)
  .map(({ name }) => Buffer.from(`,"type":"${name}","tags":[`));

/** The version, before the text. */
const jsonbHeaderBytes = 1;
const emptyObject = Buffer.from("{}");

function addMetadata(output: JsonOutput, row: BinaryRow, index: number): void {
  if (row.isNull(index)) output.add(emptyObject);
  else output.addCompact(row.bytes, row.start(index) + jsonbHeaderBytes, row.end(index));
}

/** Of an array: dimensions, flags, type, length and first index. */
const arrayHeaderBytes = 20;
const closingBracket = 0x5d;

/** Writes the tags, which are never null, and the bracket after them. */
function addTags(output: JsonOutput, row: BinaryRow, index: number): void {
  const { bytes } = row;
  const end = row.end(index);
  let at = row.start(index) + arrayHeaderBytes;
  for (let isFirst = true; at < end; isFirst = false) {
    if (!isFirst) output.addByte(comma);
    const length = bytes.readInt32BE(at);
    at += 4;
    output.addByte(quote);
    output.addString(bytes, at, at + length);
    output.addByte(quote);
    at += length;
  }
  output.addByte(closingBracket);
}
