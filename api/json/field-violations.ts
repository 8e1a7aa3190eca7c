import type { JsonValue } from "@bufbuild/protobuf";

/** One field of a JSON document that does not follow the schema. */
interface FieldViolation {
  /** Its path, such as `tags.allOf[2]` or `upload.intentMetadata["k"]`; empty: the document. */
  readonly field: string;
  /** The field's value, shortened, and what it must be. */
  readonly description: string;
}

/** A JSON document that does not follow its schema. Has 1 to 20 violations, in document order. */
export class JsonFieldError extends Error {
  override readonly name = "JsonFieldError";
  readonly violations: readonly FieldViolation[];

  constructor(violations: readonly FieldViolation[]) {
    super(violations.map(toText).join("; "));
    this.violations = violations;
  }
}

function toText({ field, description }: FieldViolation): string {
  return field === "" ? description : `${field}: ${description}`;
}

/** More violations would not help a caller, and a small request could cause a large answer. */
const violationsMax = 20;

/** The violations found so far in a document, and the path of the field that is being read. */
export class FieldViolations {
  /** A member by its name, an element by its index, a map's entry by its key in an object. */
  readonly #path: (string | number | { readonly key: string })[] = [];
  readonly #violations: FieldViolation[] = [];

  enterMember(name: string): void {
    this.#path.push(name);
  }

  enterKey(key: string): void {
    this.#path.push({ key });
  }

  enterIndex(index: number): void {
    this.#path.push(index);
  }

  leave(): void {
    this.#path.pop();
  }

  /** Adds a violation of the current field. Throws JsonFieldError when there are 20 of them. */
  add(got: string, need: string): undefined {
    const field = this.#path.map(textOf).join("").replace(/^\./, "");
    this.#violations.push({ field, description: `got ${got}, need ${need}` });
    if (this.#violations.length === violationsMax) this.throwIfAny();
    return undefined;
  }

  throwIfAny(): void {
    if (this.#violations.length > 0) throw new JsonFieldError(this.#violations);
  }
}

/** The text of a part is made only if it is reported: nearly every field is right. */
function textOf(part: string | number | { readonly key: string }): string {
  if (typeof part === "number") return `[${part}]`;
  if (typeof part === "object") return `[${quote(part.key)}]`;
  return isPlainName(part) ? `.${part}` : `[${quote(part)}]`;
}

/** Quoted values and names are shortened to this, so that every error stays short. */
const quotedCharactersMax = 64;

/** A value in an error message: strings quoted and shortened, arrays and objects only named. */
export function describe(value: JsonValue): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

function quote(text: string): string {
  // A character has at most two code units. One more character shows whether the text is longer.
  const characters = Array.from(text.slice(0, 2 * (quotedCharactersMax + 1)));
  if (characters.length <= quotedCharactersMax) return JSON.stringify(text);
  return `${JSON.stringify(characters.slice(0, quotedCharactersMax).join(""))}…`;
}

function isPlainName(name: string): boolean {
  return name.length <= quotedCharactersMax && /^[A-Za-z_$][\w$]*$/.test(name);
}
