import type { JsonValue } from "@bufbuild/protobuf";
import { type FieldViolation, JsonFieldError } from "./json-field-error.ts";

/** More would tell a caller nothing new, and would let a small request ask for a large answer. */
const violationsMax = 20;

/** Quoted values and names are cut here: an error should be short whatever was sent. */
const quotedCharactersMax = 64;

/** Where a reading is in its document, and what it has found wrong so far. */
export class FieldCursor {
  readonly #steps: string[] = [];
  readonly #violations: FieldViolation[] = [];

  enterMember(name: string): void {
    this.#steps.push(isPlainName(name) ? `.${name}` : `[${quote(name)}]`);
  }

  enterKey(key: string): void {
    this.#steps.push(`[${quote(key)}]`);
  }

  enterIndex(index: number): void {
    this.#steps.push(`[${index}]`);
  }

  leave(): void {
    this.#steps.pop();
  }

  /** Notes what is wrong at this place. Throws JsonFieldError once there are 20 violations. */
  refuse(got: string, need: string): undefined {
    const field = this.#steps.join("").replace(/^\./, "");
    this.#violations.push({ field, description: `got ${got}, need ${need}` });
    if (this.#violations.length === violationsMax) this.throwIfRefused();
    return undefined;
  }

  throwIfRefused(): void {
    if (this.#violations.length > 0) throw new JsonFieldError(this.#violations);
  }
}

/** A value as an error shows it: strings quoted and cut, arrays and objects by kind only. */
export function describe(value: JsonValue): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

function quote(text: string): string {
  // A character is at most two code units; one character more shows that there are more.
  const characters = Array.from(text.slice(0, 2 * (quotedCharactersMax + 1)));
  if (characters.length <= quotedCharactersMax) return JSON.stringify(text);
  return `${JSON.stringify(characters.slice(0, quotedCharactersMax).join(""))}…`;
}

function isPlainName(name: string): boolean {
  return name.length <= quotedCharactersMax && /^[A-Za-z_$][\w$]*$/.test(name);
}
