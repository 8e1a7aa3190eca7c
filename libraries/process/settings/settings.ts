/**
 * The settings of a program: one table of rows, read once from the environment, in `main.ts`.
 *
 * A row has the format of its text, a description and a default. The same rows make the `--help`
 * text. All errors are reported together, so that one start shows all of them.
 */
import type { z } from "zod";
import { MultilineError } from "../error-text.ts";

/** One row of a settings table. Made by `setting` or one of `rows`. */
export interface Setting<T> {
  readonly schema: z.ZodType<T, string | undefined>;
  readonly description: string;
  /** The default. The schema parses it like any other text. */
  readonly defaultText?: string | undefined;
  /** The default as the help text shows it, if that differs from its text. */
  readonly shownDefault?: string | undefined;
  /** A secret's value appears in no message. */
  readonly secret?: boolean | undefined;
}

/** Rows by the name of their environment variable, as in `{ AUTH_URL: rows.url("…") }`. */
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

/** The values of a table by camelCase name: `AUTH_URL` becomes `authUrl`. */
export type SettingsOf<T extends SettingsTable> = {
  readonly [Name in keyof T & string as CamelCase<Name>]: T[Name] extends Setting<infer V>
    ? V
    : never;
};

/** All errors of the given settings, one in each line. Programs then end with exit code 2. */
export class SettingsError extends MultilineError {
  override readonly name = "SettingsError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(["Cannot read the settings:", ...problems.map((problem) => `  ${problem}`)].join("\n"));
    this.problems = problems;
  }
}

/**
 * A row with a custom schema. The schema gets the text, or undefined if there is none. Its error
 * messages complete the sentence "need …".
 */
export function setting<T>(
  schema: z.ZodType<T, string | undefined>,
  description: string,
  defaultText?: string,
): Setting<T> {
  return { schema, description, defaultText };
}

/**
 * Reads a table from the environment. An empty text counts as absent. Unknown names are ignored.
 *
 * @throws {SettingsError} that lists every error.
 */
export function readSettings<T extends SettingsTable>(
  table: T,
  environment: Record<string, string | undefined>,
): SettingsOf<T> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};

  for (const [name, row] of Object.entries(table)) {
    const given = environment[name] === "" ? undefined : environment[name];
    const result = row.schema.safeParse(given ?? row.defaultText);
    if (result.success) values[camelCase(name)] = result.data;
    else problems.push(describeProblem(name, row, given, result.error));
  }

  if (problems.length > 0) throw new SettingsError(problems);
  return values as SettingsOf<T>;
}

/**
 * Waits for parts of the settings that are read one by one, each of which may have errors.
 *
 * @throws {SettingsError} that lists the errors of all parts, each once.
 */
export async function readTogether<T extends readonly unknown[] | []>(
  parts: T,
): Promise<{ -readonly [Part in keyof T]: Awaited<T[Part]> }> {
  const problems = new Set<string>();
  for (const result of await Promise.allSettled(parts)) {
    if (result.status === "fulfilled") continue;
    if (!(result.reason instanceof SettingsError)) throw result.reason;
    for (const problem of result.reason.problems) problems.add(problem);
  }
  if (problems.size > 0) throw new SettingsError([...problems]);
  return await Promise.all(parts);
}

/** The table as lines for `--help`: name, description, default. */
export function describeSettings(table: SettingsTable): string {
  const width = Math.max(0, ...Object.keys(table).map((name) => name.length));
  return Object.entries(table)
    .map(([name, row]) => `  ${name.padEnd(width)}  ${row.description}${describeAbsence(row)}\n`)
    .join("");
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_+(.)/g, (_, letter: string) => letter.toUpperCase());
}

function describeAbsence(row: Setting<unknown>): string {
  const fallback = row.shownDefault ?? row.defaultText;
  if (fallback !== undefined) return ` (default: ${fallback})`;
  return row.schema.safeParse(undefined).success ? " (optional)" : " (required)";
}

function describeProblem(
  name: string,
  row: Setting<unknown>,
  given: string | undefined,
  error: z.ZodError,
): string {
  const needs = [...new Set(error.issues.map((issue) => issue.message))].join(" and ");
  return `${name}: got ${describeValue(row, given)}, need ${needs}`;
}

const shownCharactersMax = 100;

function describeValue(row: Setting<unknown>, given: string | undefined): string {
  if (given === undefined) return "nothing";
  if (row.secret) return "a value that is kept secret";
  // A password inside an address is always a secret, even one that makes the address invalid.
  const shown = given.replace(/\/\/.*@/s, "//…@");
  return JSON.stringify(
    shown.length > shownCharactersMax ? `${shown.slice(0, shownCharactersMax)}…` : shown,
  );
}
