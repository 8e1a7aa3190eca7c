import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageShape,
} from "@bufbuild/protobuf";
import { describe, FieldCursor } from "./field-cursor.ts";
import { readScalar, readString } from "./read-scalar.ts";
import { readStruct } from "./read-struct.ts";
import { readTimestamp } from "./read-timestamp.ts";

export { type FieldViolation, JsonFieldError } from "./json-field-error.ts";

/** The deepest message of the contract is an upload in a folder tree of 512 levels. */
const messageDepthMax = 600;

/**
 * Reads a message from JSON, strictly: what protobuf JSON lets pass and a caller may not have meant
 * is refused.
 *
 * - Member names are the camelCase JSON names; an unknown one is refused.
 * - `null` is the same as leaving the member out; it is refused inside arrays and maps.
 * - Nothing is converted: integers, also 64-bit ones, are JSON numbers within ±(2^53-1),
 *   enumerations are member names.
 * - Text, map keys included, is well-formed Unicode without U+0000.
 * - At most one member of a oneof is given.
 * - Messages nest at most 600 deep, the values of a `google.protobuf.Struct` at most 64.
 *
 * `json` is what `parseJson` or `JSON.parse` returned. Structs are not copied out of it.
 *
 * @throws JsonFieldError naming every violation, up to 20.
 * @throws Error when the schema has a type that the contract does not use (bytes, float, Any, …).
 */
export function readJson<Desc extends DescMessage>(
  schema: Desc,
  json: JsonValue,
): MessageShape<Desc> {
  const cursor = new FieldCursor();
  const message = readMessage(schema, json, cursor, 1);
  cursor.throwIfRefused();
  return message as MessageShape<Desc>;
}

function readMessage(
  schema: DescMessage,
  json: JsonValue,
  cursor: FieldCursor,
  depth: number,
): Message | undefined {
  if (schema.typeName.startsWith("google.protobuf.")) {
    throw new Error(`Cannot read ${schema.typeName} from JSON: got a type without a reader`);
  }
  if (!isObject(json)) return cursor.refuse(describe(json), "an object");
  if (depth > messageDepthMax) {
    return cursor.refuse("deeper nesting", `at most ${messageDepthMax} messages in one another`);
  }
  refuseTwoOfOneof(schema, json, cursor);
  const message = create(schema);
  const fields = fieldsByJsonName(schema);
  for (const name of Object.keys(json)) {
    const value = json[name] as JsonValue;
    const field = fields.get(name);
    cursor.enterMember(name);
    if (field === undefined) {
      cursor.refuse("an unknown field", `one of ${Array.from(fields.keys()).join(", ")}`);
    } else if (value !== null) {
      setField(message, field, readField(field, value, cursor, depth));
    }
    cursor.leave();
  }
  return message;
}

function refuseTwoOfOneof(schema: DescMessage, json: JsonObject, cursor: FieldCursor): void {
  for (const oneof of schema.oneofs) {
    const names = oneof.fields.map((field) => field.jsonName);
    const given = names.filter((name) => Object.hasOwn(json, name) && json[name] !== null);
    if (given.length > 1) cursor.refuse(given.join(" and "), `only one of ${names.join(", ")}`);
  }
}

/** Messages are plain objects; a oneof is a property with the chosen member's name and value. */
function setField(message: Message, field: DescField, value: unknown): void {
  const properties = message as unknown as Record<string, unknown>;
  if (field.oneof === undefined) properties[field.localName] = value;
  else properties[field.oneof.localName] = { case: field.localName, value };
}

function readField(field: DescField, json: JsonValue, cursor: FieldCursor, depth: number): unknown {
  if (field.fieldKind === "list") return readList(field, json, cursor, depth);
  if (field.fieldKind === "map") return readMap(field, json, cursor, depth);
  return readElement(field, json, cursor, depth);
}

function readList(
  field: DescField & { fieldKind: "list" },
  json: JsonValue,
  cursor: FieldCursor,
  depth: number,
): unknown[] | undefined {
  if (!Array.isArray(json)) return cursor.refuse(describe(json), "an array");
  return json.map((element, index) => {
    cursor.enterIndex(index);
    const value = readElement(field, element, cursor, depth);
    cursor.leave();
    return value;
  });
}

function readMap(
  field: DescField & { fieldKind: "map" },
  json: JsonValue,
  cursor: FieldCursor,
  depth: number,
): Record<string, unknown> | undefined {
  if (!isObject(json)) return cursor.refuse(describe(json), "an object");
  // Built from entries, not by assignment: the key may be `__proto__`.
  return Object.fromEntries(
    Object.entries(json).map(([key, element]) => {
      cursor.enterKey(key);
      readString(key, cursor);
      const value = readElement(field, element, cursor, depth);
      cursor.leave();
      return [key, value];
    }),
  );
}

function readElement(
  field: DescField,
  json: JsonValue,
  cursor: FieldCursor,
  depth: number,
): unknown {
  if (field.message !== undefined) return readAnyMessage(field.message, json, cursor, depth + 1);
  if (field.enum !== undefined) return readEnum(field.enum, json, cursor);
  return readScalar(field.scalar, json, cursor);
}

function readAnyMessage(
  schema: DescMessage,
  json: JsonValue,
  cursor: FieldCursor,
  depth: number,
): unknown {
  switch (schema.typeName) {
    case "google.protobuf.Timestamp":
      return readTimestamp(json, cursor);
    case "google.protobuf.Struct":
      return readStruct(json, cursor);
    default:
      return readMessage(schema, json, cursor, depth);
  }
}

function readEnum(schema: DescEnum, json: JsonValue, cursor: FieldCursor): number | undefined {
  const member = schema.values.find((value) => value.name === json);
  if (member !== undefined) return member.number;
  return cursor.refuse(
    describe(json),
    `one of ${schema.values.map(({ name }) => name).join(", ")}`,
  );
}

function isObject(json: JsonValue): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

const fieldTables = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

function fieldsByJsonName(schema: DescMessage): ReadonlyMap<string, DescField> {
  let table = fieldTables.get(schema);
  if (table === undefined) {
    table = new Map(schema.fields.map((field) => [field.jsonName, field]));
    fieldTables.set(schema, table);
  }
  return table;
}
