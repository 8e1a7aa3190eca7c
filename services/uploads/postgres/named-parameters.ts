/**
 * SQL with named parameters: `:bucketId` in place of `$1`.
 *
 * A name has the same number wherever it appears, so that a statement gives each value once, and
 * every table in it can be bound to the same bucket.
 */
import { createHash } from "node:crypto";
import { Sql } from "sql-template-tag";

/** Text with `$1` and so on, and their values. */
export interface Statement {
  /** Under which the server keeps text and plan; undefined if it is not to be prepared. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: unknown[];
}

/** A statement without its values. */
export interface NamedStatement {
  /** Under which the server keeps text and plan. The same text has the same name everywhere. */
  readonly name: string;
  /** With `$1` and so on. */
  readonly text: string;
  /** The names of `$1` and so on. */
  readonly parameters: readonly string[];
}

// A cast (`::text`) is not a parameter.
const parameter = /(?<!:):([a-z]\w*)/gi;

/** Numbers the parameters of a statement. */
export function numberParameters(text: string): NamedStatement {
  const parameters: string[] = [];
  const numbered = text.replace(parameter, (_, name: string) => {
    if (!parameters.includes(name)) parameters.push(name);
    return `$${parameters.indexOf(name) + 1}`;
  });
  return { name: nameOf(numbered), text: numbered, parameters };
}

/** A part of a statement that is composed of several, with its values. */
export function bindParameters(text: string, values: Readonly<Record<string, unknown>>): Sql {
  const parts = text.split(parameter);
  const strings = parts.filter((_, index) => index % 2 === 0);
  const names = parts.filter((_, index) => index % 2 === 1);
  return new Sql(
    strings,
    names.map((name) => requireValue(values, name)),
  );
}

/** The values of a statement's parameters, in the order of their numbers. */
export function valuesOf(
  { parameters }: NamedStatement,
  values: Readonly<Record<string, unknown>>,
): unknown[] {
  return parameters.map((name) => requireValue(values, name));
}

function requireValue(values: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = values[name];
  if (value === undefined) throw new TypeError(`Cannot bind :${name}: it has no value`);
  return value;
}

// PostgreSQL cuts names at 63 bytes.
function nameOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
