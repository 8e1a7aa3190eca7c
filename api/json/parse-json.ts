import type { JsonValue } from "@bufbuild/protobuf";

/** Deeper than any request or import line; the values of a struct have a limit of their own. */
const nestingMax = 100;

/** A text that is not JSON, or that is JSON which two readers could understand differently. */
export class JsonTextError extends Error {
  override readonly name = "JsonTextError";
}

/**
 * Parses JSON text (RFC 8259) and refuses an object with the same member name twice, of which
 * `JSON.parse` would silently keep the last. Objects and arrays nest at most 100 deep.
 *
 * @throws JsonTextError saying what is wrong and where, counted in UTF-16 code units from 0.
 */
export function parseJson(text: string): JsonValue {
  const json = parse(text);
  refuseAmbiguity(text);
  return json;
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new JsonTextError(`Cannot read JSON: ${(cause as SyntaxError).message}`, { cause });
  }
}

/** One pass over a text known to be JSON, so that only brackets, commas and strings count. */
function refuseAmbiguity(text: string): void {
  // For every open bracket: the member names so far of an object, or undefined for an array.
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
        refuseDeepNesting(open.length + 1, position);
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
  // The same name can be spelt in several ways, as in "a" and "\u0061".
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

function refuseDeepNesting(depth: number, position: number): void {
  if (depth <= nestingMax) return;
  throw new JsonTextError(
    `Cannot read JSON: got deeper nesting at position ${position}, ` +
      `need at most ${nestingMax} objects and arrays in one another`,
  );
}

/** The position of the quotation mark that ends the string begun at `start`. */
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
