import { finished } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { type CopyValue, copyLine } from "./copy-text.ts";
import { columnList } from "./written-values.ts";

/** Rows on their way into one table. */
export interface CopiedTable<Item> {
  /** Takes a row; it is sent later. */
  add(item: Item): void;
  /** Sends what has come together once that is worth a message; all of it when `isLast`. */
  send(isLast: boolean): Promise<void>;
}

/** Characters that make a COPY worth its overhead; also the most that waits, but for one batch. */
const sendCharacters = 512 * 1024;

/** @param values the value of a row in each of the table's columns that are to be filled. */
export function copiedTable<Item>(
  client: pg.ClientBase,
  table: string,
  values: Readonly<Record<string, (item: Item) => CopyValue>>,
): CopiedTable<Item> {
  const statement = `copy ${table} (${columnList(Object.keys(values))}) from stdin`;
  const readers = Object.values(values);
  let text = "";
  return {
    add(item) {
      text += copyLine(readers.map((read) => read(item)));
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
