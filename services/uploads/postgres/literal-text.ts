import pg from "pg";
import type { Sql } from "sql-template-tag";

/**
 * The statement with its values written into it, each as a literal: COPY takes no parameters
 * (PostgreSQL manual, COPY). Throws `TypeError` for a value of a type that no statement has.
 */
export function literalText({ strings, values }: Sql): string {
  return strings.reduce((text, part, index) => `${text}${literal(values[index - 1])}${part}`);
}

function literal(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return pg.escapeLiteral(value);
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  if (Array.isArray(value)) return `array[${value.map(literal).join()}]`;
  throw new TypeError(`Cannot write a ${typeof value} into a statement: need text or an integer`);
}
