/** Rests that can be cut short, also by who calls before the rest has begun. */
export class WakingTimer {
  #awake = Promise.withResolvers<void>();

  /** @param signal no rest lasts longer than until it is aborted */
  constructor(signal: AbortSignal) {
    signal.addEventListener("abort", () => this.wake());
  }

  /** Ends the rest, or else the next one. */
  wake(): void {
    this.#awake.resolve();
  }

  /** Rests for that time, or until it is woken. */
  async rest(ms: number): Promise<void> {
    const timer = setTimeout(() => this.wake(), ms);
    await this.#awake.promise;
    clearTimeout(timer);
    this.#awake = Promise.withResolvers();
  }
}
