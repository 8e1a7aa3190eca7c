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
  const { count, areEscaped } = scanNames(text);
  // Of two names, V8 may read an escaped one as the other name (nodejs/node#63785). To read and
  // compare all names takes far longer than to count them, and tells which one is there twice.
  const isExact = !areEscaped && count === countMembers(json);
  return isExact ? json : new MemberReader(text).read();
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new JsonTextError(`Cannot read JSON: ${(cause as SyntaxError).message}`, { cause });
  }
}

/** Finds the names by the colons outside strings: one follows each. Limits the nesting. */
function scanNames(text: string): { readonly count: number; readonly areEscaped: boolean } {
  const hasEscapes = text.includes("\\");
  let areEscaped = false;
  let count = 0;
  let depth = 0;
  let start = 0;
  for (let position = 0; position < text.length; position++) {
    switch (text.charCodeAt(position)) {
      case 0x22 /* " */:
        start = position;
        position = endOfString(text, position);
        break;
      case 0x3a /* : */:
        count++;
        if (hasEscapes) areEscaped ||= text.slice(start, position).includes("\\");
        break;
      case 0x7b /* { */:
      case 0x5b /* [ */:
        if (++depth > nestingMax) rejectDeepNesting(position);
        break;
      case 0x7d /* } */:
      case 0x5d /* ] */:
        depth--;
        break;
    }
  }
  return { count, areEscaped };
}

/** The members of all objects in the value. */
function countMembers(json: JsonValue): number {
  if (typeof json !== "object" || json === null) return 0;
  const isArray = Array.isArray(json);
  const values = isArray ? json : Object.values(json);
  let members = isArray ? 0 : values.length;
  for (const value of values) members += countMembers(value);
  return members;
}

/** Reads valid JSON name by name. Rejects duplicate ones. */
class MemberReader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonValue {
    const first = this.#next();
    if (first === "{") return this.#readObject();
    if (first === "[") return this.#readArray();
    return JSON.parse(first === '"' ? this.#readString() : this.#readWord()) as JsonValue;
  }

  #readObject(): JsonValue {
    const members = new Map<string, JsonValue>();
    while (this.#goesOn("}")) {
      const position = this.#position;
      const literal = this.#readString();
      const name = JSON.parse(literal) as string;
      if (members.has(name)) rejectName(literal, position);
      this.#next();
      this.#position++;
      members.set(name, this.read());
    }
    return Object.fromEntries(members);
  }

  #readArray(): JsonValue {
    const elements: JsonValue[] = [];
    while (this.#goesOn("]")) elements.push(this.read());
    return elements;
  }

  /** Passes the opening bracket, a comma or the closing bracket. */
  #goesOn(closing: "}" | "]"): boolean {
    const isAtEnd = this.#next() === closing;
    this.#position++;
    if (isAtEnd) return false;
    // An empty object or array closes after its opening bracket.
    if (this.#next() !== closing) return true;
    this.#position++;
    return false;
  }

  #readString(): string {
    const start = this.#position;
    this.#position = endOfString(this.#text, start) + 1;
    return this.#text.slice(start, this.#position);
  }

  /** A number, or `true`, `false` or `null`. */
  #readWord(): string {
    word.lastIndex = this.#position;
    const [text = ""] = word.exec(this.#text) ?? [];
    this.#position += text.length;
    return text;
  }

  /** Passes white space. */
  #next(): string | undefined {
    space.lastIndex = this.#position;
    this.#position += space.exec(this.#text)?.[0].length ?? 0;
    return this.#text[this.#position];
  }
}

const word = /[\w.+-]+/y;
const space = /[ \t\n\r]*/y;

function rejectName(literal: string, position: number): never {
  const shown = literal.length > 66 ? `${literal.slice(0, 65)}…` : literal;
  throw new JsonTextError(
    `Cannot read JSON: got member name ${shown} again at position ${position}, ` +
      "need every name once in an object",
  );
}

function rejectDeepNesting(position: number): never {
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
