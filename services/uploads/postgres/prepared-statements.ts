/**
 * Names of prepared statements. The same text has the same name on every connection, so that the
 * server parses and plans it once a connection.
 */
import { createHash } from "node:crypto";
import type pg from "pg";

/**
 * Most statements kept by one connection, each 200 to 300 KB in the server: 60 MB in all. There are
 * more shapes of requests than that; those of one application are few.
 */
export const statementsMax = 200;

/** Names remembered; another text is hashed again. */
const namesMax = 2000;

const nameOfText = new Map<string, string>();
const namesOfClient = new WeakMap<pg.ClientBase, Set<string>>();

/** The name to run the statement under, of at most 63 bytes. */
export function preparedName(client: pg.ClientBase, text: string): string {
  let name = nameOfText.get(text);
  if (name === undefined) {
    name = createHash("sha256").update(text).digest("base64url");
    if (nameOfText.size >= namesMax) nameOfText.clear();
    nameOfText.set(text, name);
  }
  const names = namesOfClient.get(client);
  if (names === undefined) namesOfClient.set(client, new Set([name]));
  else names.add(name);
  return name;
}

/** Whether the connection keeps so many statements that it is to be closed. */
export function isFull(client: pg.ClientBase): boolean {
  return (namesOfClient.get(client)?.size ?? 0) >= statementsMax;
}
