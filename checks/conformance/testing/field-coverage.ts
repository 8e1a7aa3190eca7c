/** Finds fields and enumeration members that no answer contains. */
import type { DescEnum, DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";

/**
 * The names of fields and enumeration members, such as `svc.api.v1.Upload.slug`, that no answer has
 * with a value other than the default. Includes those of nested messages.
 */
export function notShown(schema: DescMessage, answers: readonly JsonObject[]): string[] {
  const shown = new Set<string>();
  for (const answer of answers) visit(schema, answer, shown);
  return [...namesOf(schema, new Set())].filter((name) => !shown.has(name));
}

function namesOf(schema: DescMessage | DescEnum, visited: Set<string>): Set<string> {
  const names = new Set<string>();
  if (visited.has(schema.typeName)) return names;
  visited.add(schema.typeName);
  if (schema.kind === "enum") return new Set(schema.values.map(({ name }) => name));
  for (const field of schema.fields) {
    names.add(nameOf(field));
    const inner = innerType(field);
    if (inner) for (const name of namesOf(inner, visited)) names.add(name);
  }
  return names;
}

function visit(schema: DescMessage, json: JsonObject, shown: Set<string>): void {
  for (const field of schema.fields) {
    const value = json[field.jsonName];
    if (value === undefined) continue;
    if (!isDefault(value)) shown.add(nameOf(field));
    const inner = innerType(field);
    for (const element of elementsOf(field, value)) {
      if (inner?.kind === "enum") shown.add(String(element));
      if (inner?.kind === "message") visit(inner, element as JsonObject, shown);
    }
  }
}

function isDefault(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === "string") return value === "" || value.endsWith("_UNSPECIFIED");
  return value === 0 || value === false;
}

function elementsOf(field: DescField, value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value;
  return field.fieldKind === "map" ? Object.values(value as JsonObject) : [value];
}

/** Undefined for scalars and for well-known types, which have their own forms in JSON. */
function innerType(field: DescField): DescMessage | DescEnum | undefined {
  if (field.message?.typeName.startsWith("google.protobuf.")) return undefined;
  return field.message ?? field.enum;
}

function nameOf(field: DescField): string {
  return `${field.parent.typeName}.${field.jsonName}`;
}
