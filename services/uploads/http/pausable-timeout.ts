/** Calls a function once when a time has passed. The time of pauses does not count. */
export class PausableTimeout {
  readonly #onTimeout: () => void;
  readonly #now: () => number;
  /** Undefined if it has fired during the present pause. */
  #timer: NodeJS.Timeout | undefined;
  #pausedAtMs: number | undefined;
  /** Pauses since the timer was set. */
  #pausedMs = 0;
  #isCleared = false;

  constructor(timeoutMs: number, onTimeout: () => void, now = () => performance.now()) {
    this.#onTimeout = onTimeout;
    this.#now = now;
    this.#start(timeoutMs);
  }

  pause(): void {
    this.#pausedAtMs ??= this.#now();
  }

  resume(): void {
    if (this.#pausedAtMs === undefined || this.#isCleared) return;
    if (this.#timer === undefined) this.#start(this.#pausedMs);
    else this.#pausedMs += this.#now() - this.#pausedAtMs;
    this.#pausedAtMs = undefined;
  }

  clear(): void {
    this.#isCleared = true;
    clearTimeout(this.#timer);
  }

  // The timer runs on during pauses. When it fires, it starts again for their total time: pauses
  // are frequent, so they must be cheap.
  #start(timeMs: number): void {
    this.#pausedMs = 0;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#pausedAtMs !== undefined) this.#pausedMs += this.#now() - this.#pausedAtMs;
      else if (this.#pausedMs > 0) this.#start(this.#pausedMs);
      else this.#onTimeout();
    }, timeMs);
  }
}
