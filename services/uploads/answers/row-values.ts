/** Writes values of a row as parts of JSON. */
import type { JsonOutput } from "../json/json-output.ts";
import type { BinaryRow } from "../postgres/binary-row.ts";

export const quote = 0x22;

/** The content of a string; nothing for null. */
export function addString(output: JsonOutput, row: BinaryRow, index: number): void {
  output.addString(row.bytes, row.start(index), row.end(index));
}

/** The content of a string with a UUID; nothing for null. */
export function addUuid(output: JsonOutput, row: BinaryRow, index: number): void {
  if (!row.isNull(index)) output.addUuid(row.bytes, row.start(index));
}

/**
 * A member whose value is JSON already; nothing for null.
 *
 * @param name the member up to its value, with a comma before it.
 */
export function addMember(output: JsonOutput, name: Buffer, row: BinaryRow, index: number): void {
  if (row.isNull(index)) return;
  output.add(name);
  output.addPart(row.bytes, row.start(index), row.end(index));
}

/** The texts as bytes. */
export function constants<Name extends string>(
  texts: Readonly<Record<Name, string>>,
): Readonly<Record<Name, Buffer>> {
  const bytes = Object.entries<string>(texts).map(([name, text]) => [name, Buffer.from(text)]);
  return Object.fromEntries(bytes);
}

/** The places of columns in a row. */
export function placesOf<Name extends string>(
  columns: Readonly<Record<Name, unknown>>,
): Readonly<Record<Name, number>> {
  return Object.fromEntries(Object.keys(columns).map((name, at) => [name, at])) as Record<
    Name,
    number
  >;
}

/** The document of an integration, in SQL. Null where the ID is null. */
export function integrationDocument(id: string): string {
  return `case when ${id} is not null then (
      select i.document from uploads.integrations i
      where i.bucket_number = :bucketNumber and i.integration_id = ${id}) end`;
}
