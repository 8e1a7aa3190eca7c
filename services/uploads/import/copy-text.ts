/** A value of a column, as COPY takes it. `null` is SQL's null. */
export type CopyValue = string | number | bigint | boolean | null | readonly string[];

/** A row in the text format of COPY, its line break included. */
export function copyLine(values: readonly CopyValue[]): string {
  return `${values.map(copyText).join("\t")}\n`;
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
