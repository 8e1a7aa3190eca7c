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
 * Writes a message as the contract's JSON: protobuf JSON in which every field without presence is
 * written (`""`, `0`, `false`, `[]`, `{}`), messages and timestamps that are not set are left out,
 * and 64-bit integers are JSON numbers.
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

/** Protobuf JSON has 64-bit integers as strings. Replaces them in place. */
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

/** The fields that are 64-bit integers, or messages that hold some, however deep. */
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
  // Well-known types have their own JSON form, in which no 64-bit integer is a string.
  if (field.message.typeName.startsWith("google.protobuf.")) return false;
  if (visited.has(field.message)) return false;
  visited.add(field.message);
  return field.message.fields.some((inner) => holdsLong(inner, visited));
}
