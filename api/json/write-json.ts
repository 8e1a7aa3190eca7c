import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";

const longTypes: ReadonlySet<ScalarType | undefined> = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);

/**
 * Writes a message as the contract's JSON. This is protobuf JSON with every field without presence
 * (`""`, `0`, `false`, `[]`, `{}`), without unset messages and timestamps, and with 64-bit integers
 * as JSON numbers.
 *
 * @throws Error when a 64-bit integer is beyond ±(2^53-1), or a timestamp is outside the years 0001
 * to 9999: such a message has no form in the contract.
 */
export function writeJson<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): JsonValue {
  const json = toJson(schema, message, { alwaysEmitImplicit: true });
  if (longFields(schema).length > 0) writeLongsAsNumbers(schema, json as JsonObject);
  return json;
}

/** Replaces the strings of 64-bit integers in protobuf JSON by numbers, in place. */
function writeLongsAsNumbers(schema: DescMessage, json: JsonObject): void {
  for (const field of longFields(schema)) {
    const value = json[field.jsonName];
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      for (const [index, element] of value.entries()) value[index] = convert(field, element);
    } else if (field.fieldKind === "map") {
      const entries = value as JsonObject;
      for (const [key, element] of Object.entries(entries)) {
        const converted = convert(field, element);
        // Messages are converted in place; assigning a scalar to `__proto__` would lose it.
        Object.defineProperty(entries, key, { value: converted });
      }
    } else {
      json[field.jsonName] = convert(field, value);
    }
  }
}

function convert(field: DescField, json: JsonValue): JsonValue {
  if (field.message !== undefined) {
    writeLongsAsNumbers(field.message, json as JsonObject);
    return json;
  }
  const number = Number(json);
  if (!Number.isSafeInteger(number)) {
    throw new Error(
      `Cannot write ${field.parent.typeName}.${field.name} as JSON: got ${json}, ` +
        `need an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
    );
  }
  return number;
}

const longFieldTables = new WeakMap<DescMessage, readonly DescField[]>();

/** The fields that are 64-bit integers, or messages with such fields at any depth. */
function longFields(schema: DescMessage): readonly DescField[] {
  let fields = longFieldTables.get(schema);
  if (fields === undefined) {
    fields = schema.fields.filter((field) => holdsLong(field, new Set()));
    longFieldTables.set(schema, fields);
  }
  return fields;
}

function holdsLong(field: DescField, visited: Set<DescMessage>): boolean {
  if (field.message === undefined) return longTypes.has(field.scalar);
  // Well-known types have their own JSON forms, without 64-bit integers.
  if (field.message.typeName.startsWith("google.protobuf.")) return false;
  if (visited.has(field.message)) return false;
  visited.add(field.message);
  return field.message.fields.some((inner) => holdsLong(inner, visited));
}
