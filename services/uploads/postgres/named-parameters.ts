/**
 * SQL with named parameters: `:bucketId` in place of `$1`.
 *
 * A name has the same number wherever it appears, so that a statement gives each value once, and
 * every table in it can be bound to the same bucket.
 */
import { createHash } from "node:crypto";
import type pg from "pg";

/** The values of named parameters. A statement need not use all of them. */
export type NamedValues = Readonly<Record<string, unknown>>;

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

/** A connection, or a pool of connections. */
export type Queries = Pick<pg.ClientBase, "query">;

/** Runs one statement with named parameters. */
export function query<Row extends pg.QueryResultRow>(
  database: Queries,
  text: string,
  values: NamedValues = {},
): Promise<pg.QueryResult<Row>> {
  return database.query<Row>(bindParameters(text, values));
}

/** A statement that is run once, and not prepared. */
export function bindParameters(text: string, values: NamedValues): Statement {
  const numbered = numberParameters(text);
  return { text: numbered.text, values: valuesOf(numbered, values) };
}

/** A statement that can be run with different values, and prepared. */
export function nameStatement(text: string): NamedStatement {
  const numbered = numberParameters(text);
  return { name: nameOf(numbered.text), ...numbered };
}

/** The values of a statement's parameters, in the order of their numbers. */
export function valuesOf(
  { parameters }: Pick<NamedStatement, "parameters">,
  values: NamedValues,
): unknown[] {
  return parameters.map((name) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`Cannot bind :${name}: it has no value`);
    return value;
  });
}

// Casts (`::text`) and slices (`[1:n]`) are not parameters.
const parameter = /(?<![:\w]):([a-z]\w*)/gi;

function numberParameters(text: string): Omit<NamedStatement, "name"> {
  const parameters: string[] = [];
  const numbered = text.replace(parameter, (_, name: string) => {
    if (!parameters.includes(name)) parameters.push(name);
    return `$${parameters.indexOf(name) + 1}`;
  });
  return { text: numbered, parameters };
}

// PostgreSQL cuts names at 63 bytes.
function nameOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
