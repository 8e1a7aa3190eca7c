/** Measures the time of a call's work, and reports once when it is up. It can be paused. */
export class WorkClock {
  readonly #onUp: () => void;
  readonly #now: () => number;
  /** Undefined if it has fired during the present pause. */
  #timer: NodeJS.Timeout | undefined;
  #pausedAtMs: number | undefined;
  /** Pauses since the timer was set. */
  #pausedMs = 0;
  #isEnded = false;

  constructor(workMs: number, onUp: () => void, now = () => performance.now()) {
    this.#onUp = onUp;
    this.#now = now;
    this.#start(workMs);
  }

  pause(): void {
    this.#pausedAtMs ??= this.#now();
  }

  resume(): void {
    if (this.#pausedAtMs === undefined || this.#isEnded) return;
    if (this.#timer === undefined) this.#start(this.#pausedMs);
    else this.#pausedMs += this.#now() - this.#pausedAtMs;
    this.#pausedAtMs = undefined;
  }

  end(): void {
    this.#isEnded = true;
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
      else this.#onUp();
    }, timeMs);
  }
}
