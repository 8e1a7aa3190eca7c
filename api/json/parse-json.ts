/**
 * Parses JSON that has only one meaning. The published library of access tokens checks the same of
 * tokens in `src/parse-json.ts`: a copy, since neither package may import the other.
 */
import type { JsonValue } from "@bufbuild/protobuf";

/** Deeper than any request or import line. Structs have a limit of their own. */
const nestingMax = 100;

/** The text is not JSON, or different parsers could read it differently. */
export class JsonTextError extends Error {
  override readonly name = "JsonTextError";
}

/**
 * Parses JSON text (RFC 8259). Rejects an object with a duplicate member name: `JSON.parse` keeps
 * only the last one. Objects and arrays nest at most 100 deep.
 *
 * @throws JsonTextError with the reason and the position in UTF-16 code units from 0.
 */
export function parseJson(text: string): JsonValue {
  const json = parse(text);
  rejectAmbiguity(text);
  return json;
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new JsonTextError(`Cannot read JSON: ${(cause as SyntaxError).message}`, { cause });
  }
}

/** Passes once over valid JSON, in which only brackets, commas and strings matter here. */
function rejectAmbiguity(text: string): void {
  // One entry for each open bracket: an object's member names so far, undefined for an array.
  const open: (Set<string> | undefined)[] = [];
  let nameIsNext = false;
  for (let position = 0; position < text.length; position++) {
    switch (text[position]) {
      case '"': {
        const end = endOfString(text, position);
        if (nameIsNext) addName(open.at(-1), text.slice(position, end + 1), position);
        nameIsNext = false;
        position = end;
        break;
      }
      case "{":
      case "[":
        rejectDeepNesting(open.length + 1, position);
        nameIsNext = text[position] === "{";
        open.push(nameIsNext ? new Set() : undefined);
        break;
      case "}":
      case "]":
        open.pop();
        nameIsNext = false;
        break;
      case ",":
        nameIsNext = open.at(-1) !== undefined;
        break;
    }
  }
}

function addName(names: Set<string> | undefined, literal: string, position: number): void {
  // Escapes allow several spellings of one name, such as "a" and "\u0061".
  const name = literal.includes("\\") ? (JSON.parse(literal) as string) : literal.slice(1, -1);
  if (names?.has(name)) {
    const shown = literal.length > 66 ? `${literal.slice(0, 65)}…"` : literal;
    throw new JsonTextError(
      `Cannot read JSON: got member name ${shown} again at position ${position}, ` +
        "need every name once in an object",
    );
  }
  names?.add(name);
}

function rejectDeepNesting(depth: number, position: number): void {
  if (depth <= nestingMax) return;
  throw new JsonTextError(
    `Cannot read JSON: got deeper nesting at position ${position}, ` +
      `need at most ${nestingMax} objects and arrays in one another`,
  );
}

/** The position of the closing quotation mark of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, position: number): boolean {
  let backslashes = 0;
  while (text[position - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}
