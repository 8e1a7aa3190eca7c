/** COPY into a table: rows are collected as text, and sent together. */
import { finished } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";

/** A value of a column. `null` is SQL's null. */
export type CopyValue = string | number | bigint | boolean | null | readonly string[];

/** Rows to be copied into one table. */
export interface CopiedTable<Item> {
  /** The characters of the rows that are not sent yet. */
  readonly waitingCharacters: number;
  /** Adds a row to those that are sent next. */
  add(item: Item): void;
  /** Sends the rows if there are enough of them for a COPY; sends them in any case if `isLast`. */
  send(isLast: boolean): Promise<void>;
}

/** Characters that are worth the overhead of a COPY. */
const sendCharacters = 512 * 1024;

/** @param values for each column that is filled, the value of a row. */
export function copiedTable<Item>(
  client: pg.ClientBase,
  table: string,
  values: Readonly<Record<string, (item: Item) => CopyValue>>,
): CopiedTable<Item> {
  const statement = `copy ${table} (${columnList(Object.keys(values))}) from stdin`;
  const readers = Object.values(values);
  let text = "";
  return {
    get waitingCharacters() {
      return text.length;
    },
    add(item) {
      let separator = "";
      for (const read of readers) {
        text += separator + copyText(read(item));
        separator = "\t";
      }
      text += "\n";
    },
    async send(isLast) {
      if (text.length < (isLast ? 1 : sendCharacters)) return;
      const copy = client.query(copyFrom(statement));
      copy.end(text);
      text = "";
      await finished(copy);
    },
  };
}

/** The names of columns as a list in SQL: `u."path", u."order"`. */
export function columnList(columns: readonly string[], table?: string): string {
  const prefix = table === undefined ? "" : `${table}.`;
  return columns.map((column) => `${prefix}"${column}"`).join(", ");
}

function copyText(value: CopyValue): string {
  if (value === null) return "\\N";
  if (typeof value === "string") return escapeText(value);
  if (typeof value === "object") return escapeText(arrayLiteral(value));
  return String(value);
}

function escapeText(text: string): string {
  if (!special.test(text)) return text;
  return text
    .replaceAll("\\", "\\\\")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
}

const special = /[\\\n\r\t]/;

function arrayLiteral(elements: readonly string[]): string {
  return `{${elements.map((element) => `"${element.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}
