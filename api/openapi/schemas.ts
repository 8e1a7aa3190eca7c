import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  ScalarType,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { getComments } from "@bufbuild/protoplugin";
import { describe, type JsonNames } from "./description.ts";

/** A schema under its name in `components.schemas`. */
export type NamedSchema = readonly [name: string, schema: JsonObject];

const integerMax = Number.MAX_SAFE_INTEGER;

/** The JSON forms of the scalar types that the contract uses. */
const scalars: Partial<Record<ScalarType, JsonObject>> = {
  [ScalarType.STRING]: { type: "string" },
  [ScalarType.BOOL]: { type: "boolean" },
  [ScalarType.INT32]: { type: "integer", format: "int32" },
  [ScalarType.INT64]: {
    type: "integer",
    format: "int64",
    minimum: -integerMax,
    maximum: integerMax,
  },
  [ScalarType.DOUBLE]: { type: "number", format: "double" },
};

const wellKnownTypes: Record<string, JsonObject> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Struct": { type: "object", additionalProperties: true },
};

/** The schema of requests: any field can be left out or null; other fields are not allowed. */
export function requestSchema(message: DescMessage, jsonNames: JsonNames): NamedSchema {
  const properties = propertiesOf(message, jsonNames, (field) => orNull(schemaOf(field)));
  const choices = message.oneofs.map((oneof) => ({
    oneOf: oneof.fields.map((field) => ({
      required: [field.jsonName],
      properties: { [field.jsonName]: { not: { type: "null" } } },
    })),
  }));
  const schema = objectOf(message, jsonNames, properties);
  const exactlyOne = choices.length > 0 ? { allOf: choices } : {};
  return [nameOf(message), { ...schema, additionalProperties: false, ...exactlyOne }];
}

/** The schema of answers: every field is present, except unset messages and timestamps. */
export function responseSchema(message: DescMessage, jsonNames: JsonNames): NamedSchema {
  if (message.oneofs.length > 0) {
    throw new Error(`Cannot describe ${message.typeName}: got a oneof in a response`);
  }
  const properties = propertiesOf(message, jsonNames, schemaOf);
  const required = message.fields
    .filter((field) => field.presence === FeatureSet_FieldPresence.IMPLICIT)
    .map((field) => field.jsonName);
  return [nameOf(message), { ...objectOf(message, jsonNames, properties), required }];
}

export function enumSchema(type: DescEnum, jsonNames: JsonNames): NamedSchema {
  const members = type.values.map(
    (value) => `- \`${value.name}\`: ${describe(getComments(value), jsonNames)}`,
  );
  const description = [describe(getComments(type), jsonNames), members.join("\n")].join("\n\n");
  return [
    nameOf(type),
    { type: "string", description, enum: type.values.map((value) => value.name) },
  ];
}

/** A type's name without its package: `MetaUpload.Type`. */
function nameOf(type: DescMessage | DescEnum): string {
  return type.typeName.slice(type.file.proto.package.length + 1);
}

export function refTo(type: DescMessage | DescEnum): JsonObject {
  return { $ref: `#/components/schemas/${nameOf(type)}` };
}

function objectOf(message: DescMessage, jsonNames: JsonNames, properties: JsonObject): JsonObject {
  return { type: "object", description: describe(getComments(message), jsonNames), properties };
}

function propertiesOf(
  message: DescMessage,
  jsonNames: JsonNames,
  toSchema: (field: DescField) => JsonObject,
): JsonObject {
  return Object.fromEntries(
    message.fields.map((field) => [
      field.jsonName,
      {
        ...toSchema(field),
        description: describe(getComments(field), jsonNames),
        ...(field.deprecated ? { deprecated: true } : {}),
      },
    ]),
  );
}

function schemaOf(field: DescField): JsonObject {
  switch (field.fieldKind) {
    case "list":
      return { type: "array", items: elementOf(field) };
    case "map":
      return { type: "object", additionalProperties: elementOf(field) };
    default:
      return elementOf(field);
  }
}

function elementOf(field: DescField): JsonObject {
  if (field.enum !== undefined) return refTo(field.enum);
  if (field.message !== undefined) {
    return wellKnownTypes[field.message.typeName] ?? refTo(field.message);
  }
  const schema = scalars[field.scalar];
  if (schema === undefined)
    throw new Error(`Cannot describe ${field}: got a type without a schema`);
  return schema;
}

function orNull(schema: JsonObject): JsonObject {
  if (typeof schema.type === "string") return { ...schema, type: [schema.type, "null"] };
  return { anyOf: [schema, { type: "null" }] };
}
