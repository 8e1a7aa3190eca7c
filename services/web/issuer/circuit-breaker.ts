/**
 * A circuit breaker: spares requests the wait for a server that hangs, and the connections that
 * they hold meanwhile. After a timeout, requests fail at once for a time. Then one at a time tries
 * whether the server answers again.
 */

interface CircuitBreakerOptions {
  /** Whether an error says that the server did not answer in time. */
  readonly isTimeout: (error: unknown) => boolean;
  /** The error of a request that is not made. */
  readonly refusal: () => Error;
  readonly now?: () => number;
}

/** Requests fail at once for this time after a timeout. `Retry-After` tells callers the same. */
const restMs = 1000;

export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  /** Undefined while the server answers. */
  #restsUntilMs: number | undefined;
  #isTrying = false;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  /** Runs a request, or throws the refusal. Rethrows the error of the request. */
  async run<Result>(request: () => Promise<Result>): Promise<Result> {
    if (this.#restsUntilMs === undefined) return await this.#watch(request);
    if (this.#isTrying || this.#now() < this.#restsUntilMs) throw this.#options.refusal();
    this.#isTrying = true;
    try {
      return await this.#watch(request);
    } finally {
      this.#isTrying = false;
    }
  }

  async #watch<Result>(request: () => Promise<Result>): Promise<Result> {
    try {
      const result = await request();
      this.#restsUntilMs = undefined;
      return result;
    } catch (error) {
      this.#restsUntilMs = this.#options.isTimeout(error) ? this.#now() + restMs : undefined;
      throw error;
    }
  }

  #now(): number {
    return (this.#options.now ?? performance.now.bind(performance))();
  }
}
