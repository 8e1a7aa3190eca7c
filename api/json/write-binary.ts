/**
 * Encodes the contract's JSON as binary protobuf, without message objects between them: that takes
 * about a quarter of the time.
 */
import { type DescField, type DescMessage, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { ByteWriter } from "./byte-writer.ts";

/**
 * Encodes a message that `writeJson` or the database wrote as JSON. Members that the schema does
 * not have are ignored.
 *
 * @param sizeHintBytes about the size of the JSON text, which is more than the result needs.
 * @throws Error when a value does not have the type of its field.
 */
export function writeBinary(
  schema: DescMessage,
  json: JsonValue,
  sizeHintBytes?: number,
): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(sizeHintBytes);
  writeMembers(memberWriters(schema), json as Members, out);
  return out.bytes();
}

type Members = Readonly<Record<string, unknown>>;
type Write<Value> = (value: Value, out: ByteWriter) => void;

/** Writes one member of an object as a field, with its tag. */
interface MemberWriter {
  readonly jsonName: string;
  readonly write: Write<unknown>;
}

/** Writes a value without its tag. */
interface ValueType {
  readonly wireType: WireType;
  readonly write: Write<never>;
}

const tables = new WeakMap<DescMessage, readonly MemberWriter[]>();

function memberWriters(schema: DescMessage): readonly MemberWriter[] {
  let table = tables.get(schema);
  if (table === undefined) {
    table = schema.fields.map((field) => ({
      jsonName: field.jsonName,
      write: fieldWriter(field) as Write<unknown>,
    }));
    tables.set(schema, table);
  }
  return table;
}

function writeMembers(table: readonly MemberWriter[], json: Members, out: ByteWriter): void {
  for (const { jsonName, write } of table) {
    const value = json[jsonName];
    if (value !== undefined && value !== null) write(value, out);
  }
}

function fieldWriter(field: DescField): Write<never> {
  const type = valueType(field);
  const write = type.write as Write<unknown>;
  const tag = tagOf(field.number, type.wireType);
  switch (field.fieldKind) {
    case "list":
      return field.packed ? packedWriter(field.number, write) : listWriter(tag, write);
    case "map":
      if (field.mapKey !== ScalarType.STRING) throw unsupported(field);
      return mapWriter(field.number, type);
    default:
      return singleWriter(tag, write, field);
  }
}

function singleWriter(tag: number, write: Write<unknown>, field: DescField): Write<unknown> {
  // proto3 does not encode the default value of a field without presence.
  const hasDefault = field.presence === FeatureSet_FieldPresence.IMPLICIT;
  const zero = field.enum?.values.find(({ number }) => number === 0)?.name;
  return (value, out) => {
    if (hasDefault && (!value || value === zero)) return;
    out.varint(tag);
    write(value, out);
  };
}

function listWriter(tag: number, write: Write<unknown>): Write<readonly unknown[]> {
  return (values, out) => {
    for (const value of values) {
      out.varint(tag);
      write(value, out);
    }
  };
}

function packedWriter(number: number, write: Write<unknown>): Write<readonly unknown[]> {
  const tag = tagOf(number, WireType.LengthDelimited);
  return (values, out) => {
    if (values.length === 0) return;
    out.varint(tag);
    const start = out.begin();
    for (const value of values) write(value, out);
    out.end(start);
  };
}

function mapWriter(number: number, { wireType, write }: ValueType): Write<Members> {
  const tag = tagOf(number, WireType.LengthDelimited);
  const keyTag = tagOf(1, WireType.LengthDelimited);
  const valueTag = tagOf(2, wireType);
  return (entries, out) => {
    for (const [key, value] of Object.entries(entries)) {
      out.varint(tag);
      const start = out.begin();
      out.varint(keyTag);
      out.text(key);
      out.varint(valueTag);
      (write as Write<unknown>)(value, out);
      out.end(start);
    }
  };
}

function valueType(field: DescField): ValueType {
  if (field.enum !== undefined) {
    const numbers = new Map(field.enum.values.map(({ name, number }) => [name, number]));
    const write: Write<string | number> = (value, out) => {
      const number = typeof value === "number" ? value : numbers.get(value);
      if (number === undefined) throw new Error(`Cannot encode ${field}: got ${value}`);
      out.integer(number);
    };
    return { wireType: WireType.Varint, write };
  }
  if (field.message !== undefined) {
    return { wireType: WireType.LengthDelimited, write: messageWriter(field.message) };
  }
  switch (field.scalar) {
    case ScalarType.STRING:
      return { wireType: WireType.LengthDelimited, write: (text: string, out) => out.text(text) };
    case ScalarType.BOOL:
      return { wireType: WireType.Varint, write: (is: boolean, out) => out.varint(is ? 1 : 0) };
    case ScalarType.INT32:
    case ScalarType.INT64:
      return { wireType: WireType.Varint, write: (value: number, out) => out.integer(value) };
    case ScalarType.DOUBLE:
      return { wireType: WireType.Bit64, write: (value: number, out) => out.double(value) };
    default:
      throw unsupported(field);
  }
}

function messageWriter(schema: DescMessage): Write<never> {
  const write = wellKnown[schema.typeName];
  // The table of a message that holds itself is made when it is first needed.
  const writeBody = write ?? ((json, out) => writeMembers(memberWriters(schema), json, out));
  return (json: Members, out: ByteWriter) => {
    const start = out.begin();
    writeBody(json as never, out);
    out.end(start);
  };
}

const wellKnown: Readonly<Record<string, Write<never>>> = {
  "google.protobuf.Timestamp": writeTimestamp,
  "google.protobuf.Struct": writeStruct,
};

function writeTimestamp(text: string, out: ByteWriter): void {
  const seconds = Date.parse(`${text.slice(0, 19)}Z`) / 1000;
  const fraction = text.slice(20, -1);
  if (!text.endsWith("Z") || Number.isNaN(seconds)) {
    throw new Error(`Cannot encode a timestamp: got ${text}, need RFC 3339 in UTC`);
  }
  const nanos = fraction === "" ? 0 : Number(fraction.padEnd(9, "0"));
  if (seconds !== 0) {
    out.varint(tagOf(1, WireType.Varint));
    out.integer(seconds);
  }
  if (nanos !== 0) {
    out.varint(tagOf(2, WireType.Varint));
    out.varint(nanos);
  }
}

const writeStructFields = mapWriter(1, {
  wireType: WireType.LengthDelimited,
  write: writeStructValue as Write<never>,
});

function writeStruct(json: Members, out: ByteWriter): void {
  writeStructFields(json, out);
}

function writeStructValue(json: JsonValue, out: ByteWriter): void {
  const start = out.begin();
  if (json === null) {
    out.varint(tagOf(1, WireType.Varint));
    out.varint(0);
  } else if (typeof json === "number") {
    out.varint(tagOf(2, WireType.Bit64));
    out.double(json);
  } else if (typeof json === "string") {
    out.varint(tagOf(3, WireType.LengthDelimited));
    out.text(json);
  } else if (typeof json === "boolean") {
    out.varint(tagOf(4, WireType.Varint));
    out.varint(json ? 1 : 0);
  } else {
    const isList = Array.isArray(json);
    out.varint(tagOf(isList ? 6 : 5, WireType.LengthDelimited));
    const bodyStart = out.begin();
    if (isList) writeListValues(json, out);
    else writeStruct(json, out);
    out.end(bodyStart);
  }
  out.end(start);
}

const writeListValues = listWriter(
  tagOf(1, WireType.LengthDelimited),
  writeStructValue as Write<unknown>,
);

/** The tag of a field, which is encoded as a varint before its value. */
export function tagOf(number: number, wireType: WireType): number {
  return (number << 3) | wireType;
}

function unsupported(field: DescField): Error {
  return new Error(`Cannot encode ${field}: its type is not supported`);
}
