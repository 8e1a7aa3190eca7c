/** The address of PostgreSQL. */
import { z } from "zod";
import { type Setting, setting } from "./settings.ts";

const need = "an address like postgresql://user:password@host:5432/database";

/** A secret because of its password. Absent: the embedded database. */
export function databaseUrlRow(
  description = "PostgreSQL 15 or newer; without it an embedded one runs under DATA_DIR.",
): Setting<string | undefined> {
  const schema = z
    .string({ error: need })
    .refine(isAddress, { error: need })
    .transform(withStrictMode)
    .optional();
  return { ...setting(schema, description), secret: true };
}

function isAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);
}

/** The driver treats the weaker modes as the strict one, and prints a warning that it does. */
function withStrictMode(text: string): string {
  if (/[?&]uselibpqcompat=true(?=&|$)/.test(text)) return text;
  return text.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}
