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
import { describe, FieldViolations } from "./field-violations.ts";
import { readScalar, readString, readStruct, readTimestamp } from "./read-values.ts";

/** The deepest message of the contract is an upload in a folder tree of 512 levels. */
const messageDepthMax = 600;

/**
 * Reads a message from JSON. Rejects what protobuf JSON accepts but a caller may not have meant:
 *
 * - Member names are the camelCase JSON names; an unknown name is a violation.
 * - `null` means that the member is left out; inside arrays and maps it is a violation.
 * - Nothing is converted: integers, also 64-bit ones, are JSON numbers within ±(2^53-1),
 *   enumerations are member names.
 * - Text, map keys included, is well-formed Unicode without U+0000.
 * - At most one member of a oneof is given.
 * - Messages nest at most 600 deep, the values of a `google.protobuf.Struct` at most 64.
 *
 * `json` is the value that `parseJson` or `JSON.parse` returned. The message shares its structs.
 *
 * @throws JsonFieldError naming every violation, up to 20.
 * @throws Error when the schema has a type that the contract does not use (bytes, float, Any, …).
 */
export function readJson<Desc extends DescMessage>(
  schema: Desc,
  json: JsonValue,
): MessageShape<Desc> {
  const violations = new FieldViolations();
  const message = readMessage(schema, json, violations, 1);
  violations.throwIfAny();
  return message as MessageShape<Desc>;
}

function readMessage(
  schema: DescMessage,
  json: JsonValue,
  violations: FieldViolations,
  depth: number,
): Message | undefined {
  if (schema.typeName.startsWith("google.protobuf.")) {
    throw new Error(`Cannot read ${schema.typeName} from JSON: got a type without a reader`);
  }
  if (!isObject(json)) return violations.add(describe(json), "an object");
  if (depth > messageDepthMax) {
    return violations.add("deeper nesting", `at most ${messageDepthMax} messages in one another`);
  }
  checkOneofs(schema, json, violations);
  const message = create(schema);
  const fields = fieldsByJsonName(schema);
  for (const name of Object.keys(json)) {
    const value = json[name] as JsonValue;
    const field = fields.get(name);
    violations.enterMember(name);
    if (field === undefined) {
      violations.add("an unknown field", `one of ${Array.from(fields.keys()).join(", ")}`);
    } else if (value !== null) {
      setField(message, field, readField(field, value, violations, depth));
    }
    violations.leave();
  }
  return message;
}

function checkOneofs(schema: DescMessage, json: JsonObject, violations: FieldViolations): void {
  for (const oneof of schema.oneofs) {
    const names = oneof.fields.map((field) => field.jsonName);
    const given = names.filter((name) => Object.hasOwn(json, name) && json[name] !== null);
    if (given.length > 1) violations.add(given.join(" and "), `only one of ${names.join(", ")}`);
  }
}

/** Messages are plain objects; a oneof is a property with the chosen member's name and value. */
function setField(message: Message, field: DescField, value: unknown): void {
  const properties = message as unknown as Record<string, unknown>;
  if (field.oneof === undefined) properties[field.localName] = value;
  else properties[field.oneof.localName] = { case: field.localName, value };
}

function readField(
  field: DescField,
  json: JsonValue,
  violations: FieldViolations,
  depth: number,
): unknown {
  if (field.fieldKind === "list") return readList(field, json, violations, depth);
  if (field.fieldKind === "map") return readMap(field, json, violations, depth);
  return readElement(field, json, violations, depth);
}

function readList(
  field: DescField & { fieldKind: "list" },
  json: JsonValue,
  violations: FieldViolations,
  depth: number,
): unknown[] | undefined {
  if (!Array.isArray(json)) return violations.add(describe(json), "an array");
  return json.map((element, index) => {
    violations.enterIndex(index);
    const value = readElement(field, element, violations, depth);
    violations.leave();
    return value;
  });
}

function readMap(
  field: DescField & { fieldKind: "map" },
  json: JsonValue,
  violations: FieldViolations,
  depth: number,
): Record<string, unknown> | undefined {
  if (!isObject(json)) return violations.add(describe(json), "an object");
  // Built from entries, not by assignment: the key may be `__proto__`.
  return Object.fromEntries(
    Object.entries(json).map(([key, element]) => {
      violations.enterKey(key);
      readString(key, violations);
      const value = readElement(field, element, violations, depth);
      violations.leave();
      return [key, value];
    }),
  );
}

function readElement(
  field: DescField,
  json: JsonValue,
  violations: FieldViolations,
  depth: number,
): unknown {
  if (field.message !== undefined)
    return readAnyMessage(field.message, json, violations, depth + 1);
  if (field.enum !== undefined) return readEnum(field.enum, json, violations);
  return readScalar(field.scalar, json, violations);
}

function readAnyMessage(
  schema: DescMessage,
  json: JsonValue,
  violations: FieldViolations,
  depth: number,
): unknown {
  switch (schema.typeName) {
    case "google.protobuf.Timestamp":
      return readTimestamp(json, violations);
    case "google.protobuf.Struct":
      return readStruct(json, violations);
    default:
      return readMessage(schema, json, violations, depth);
  }
}

function readEnum(
  schema: DescEnum,
  json: JsonValue,
  violations: FieldViolations,
): number | undefined {
  const member = schema.values.find((value) => value.name === json);
  if (member !== undefined) return member.number;
  return violations.add(
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
