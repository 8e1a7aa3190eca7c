/** A value with a comparison, or a range of two values, either of which may be left out. */
export type Comparison<Value> =
  | { readonly operator: ">" | ">=" | "<" | "<=" | "="; readonly value: Value }
  | { readonly operator: ".."; readonly from: Value | undefined; readonly to: Value | undefined };

/** Splits `>value`, `a..b` and the like. Undefined: the value is none. */
export function readComparison<Value>(
  text: string,
  readValue: (text: string) => Value | undefined,
): Comparison<Value> | undefined {
  const range = /^(.*?)\.\.(.*)$/.exec(text);
  if (range) {
    const [, first = "", last = ""] = range;
    if (first === "" && last === "") return undefined;
    const [from, to] = [first, last].map((end) => (end === "" ? undefined : readValue(end)));
    const isRead = (from !== undefined || first === "") && (to !== undefined || last === "");
    return isRead ? { operator: "..", from, to } : undefined;
  }
  const [, operator, rest = ""] = /^(>=|<=|>|<|=|)(.*)$/.exec(text) ?? [];
  const value = readValue(rest);
  if (value === undefined) return undefined;
  return { operator: (operator || "=") as ">" | ">=" | "<" | "<=" | "=", value };
}
