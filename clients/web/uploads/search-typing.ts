/**
 * Turns typing into searches: the first letter searches at once, the next at most every 150 ms, and
 * the last text is always searched for.
 */
const intervalMs = 150;

export class SearchTyping {
  readonly #search: (text: string) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: string | undefined;

  constructor(search: (text: string) => void) {
    this.#search = search;
  }

  type(text: string): void {
    this.#waiting = text;
    if (this.#timer === undefined) this.flush();
  }

  /** Searches at once for a text that waits. */
  flush(): void {
    this.#stopTimer();
    const text = this.#waiting;
    if (text === undefined) return;
    this.#waiting = undefined;
    this.#timer = setTimeout(() => this.flush(), intervalMs);
    this.#search(text);
  }

  /** Forgets a text that waits. */
  cancel(): void {
    this.#stopTimer();
    this.#waiting = undefined;
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
