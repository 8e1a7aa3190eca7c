import pg from "pg";
import { prepareValue } from "../../../postgres/driver-internals.ts";

/** `execute name(…)` as text, which `explain` takes without parameters. */
export function executeText(name: string, values: readonly unknown[]): string {
  const literals = values.map(prepareValue).map((value) => {
    return value === null ? "null" : pg.escapeLiteral(String(value));
  });
  return `execute ${name}(${literals.join()})`;
}
