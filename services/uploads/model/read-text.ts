import { invalidField } from "./api-error.ts";

/** Checks text that reaches the database: it cannot hold U+0000, and no name does. */
export function readText(field: string, text: string): string {
  if (text.includes("\0")) {
    throw invalidField(field, "holds the character U+0000; need text without it");
  }
  return text;
}

/** Checks text of a filter: at most `lengthMax` code points. */
export function readFilterText(field: string, text: string, lengthMax: number): string {
  const length = [...readText(field, text)].length;
  if (length > lengthMax) {
    throw invalidField(field, `is ${length} code points; need at most ${lengthMax}`);
  }
  return text;
}
