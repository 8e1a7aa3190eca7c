/** A value of a column, as COPY takes it. `null` is SQL's null. */
export type CopyValue = string | number | bigint | boolean | null | readonly string[];

/** A row in the text format of COPY, its line break included. */
export function copyLine(values: readonly CopyValue[]): string {
  return `${values.map(copyText).join("\t")}\n`;
}

function copyText(value: CopyValue): string {
  if (value === null) return "\\N";
  if (typeof value === "string") return escape(value);
  if (typeof value === "object") return escape(arrayLiteral(value));
  return String(value);
}

const escapes: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const special = /[\\\n\r\t]/;
const specialGlobal = new RegExp(special, "g");

function escape(text: string): string {
  return special.test(text) ? text.replace(specialGlobal, (found) => escapes[found]!) : text;
}

function arrayLiteral(elements: readonly string[]): string {
  return `{${elements.map((element) => `"${element.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}
