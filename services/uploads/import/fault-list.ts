import { formatCount } from "./format.ts";

/** What was wrong, the first few in words, all in number: a file of any size may be all wrong. */
export class FaultList {
  readonly #shown: string[] = [];
  #count = 0;

  /** @param text where, and why: `line 3: …`. */
  add(text: string): void {
    this.#count += 1;
    if (this.#shown.length < shownMax) this.#shown.push(printable(text));
  }

  get count(): number {
    return this.#count;
  }

  /** The faults, one a line, and how many more there are; empty where there is none. */
  report(): string {
    const more = this.#count - this.#shown.length;
    const lines = more > 0 ? [...this.#shown, `and ${formatCount(more)} more`] : this.#shown;
    return lines.map((line) => `${line}\n`).join("");
  }
}

const shownMax = 20;

// Names and lines come from anywhere, and a terminal obeys control characters.
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
