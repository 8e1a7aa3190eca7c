/** The address of PostgreSQL, with its parameters for TLS. */
import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { type Setting, setting } from "./settings.ts";

const need = "an address like postgresql://user:password@host:5432/database";

/** A secret because of its password. Absent: the embedded database. */
export function databaseUrlRow(
  description = "PostgreSQL 15 or newer; without it an embedded one runs under DATA_DIR.",
): Setting<string | undefined> {
  const schema = z
    .string({ error: need })
    .refine(isAddress, { error: need, abort: true })
    .refine(isUtf8Encoded, { error: "an address whose percent-encoding is UTF-8", abort: true })
    .superRefine(requireReadableFiles)
    .transform(withStrictMode)
    .optional();
  return { ...setting(schema, description), secret: true };
}

function isAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);
}

/** Whether each percent-encoded part is UTF-8. The driver keeps any other `%` as it is. */
function isUtf8Encoded(text: string): boolean {
  const parts = text.match(/(%[0-9a-f]{2})+/gi) ?? [];
  return parts.every((part) => isUtf8(Buffer.from(part.replaceAll("%", ""), "hex")));
}

/** The driver reads them for each connection, and names no setting in its errors. */
function requireReadableFiles(text: string, context: z.RefinementCtx<string>): void {
  const { searchParams } = new URL(text);
  for (const name of ["sslrootcert", "sslcert", "sslkey"]) {
    const file = searchParams.get(name);
    if (!file) continue;
    try {
      readFileSync(file);
    } catch (error) {
      const reason = (error as Error).message;
      context.addIssue({ code: "custom", message: `a readable file in ${name} (${reason})` });
    }
  }
}

/** The driver treats the weaker modes as the strict one, and prints a warning that it does. */
function withStrictMode(text: string): string {
  if (/[?&]uselibpqcompat=true(?=&|$)/.test(text)) return text;
  return text.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}
