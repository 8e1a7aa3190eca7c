/** Counts requests under way, in this process, so that one person cannot take all connections. */
import { WebError } from "../model/web-error.ts";

export class RunningRequests {
  /** The number of requests under way, by whose they are. */
  readonly #running = new Map<string, number>();

  /**
   * Counts a request until the result is called.
   *
   * @param owner whose requests are counted together
   * @throws {WebError} TOO_MANY_CALLS if `requestsMax` are under way
   */
  begin(owner: string, requestsMax: number): () => void {
    const running = this.#running.get(owner) ?? 0;
    if (running >= requestsMax) {
      const message = `too many requests at once: got more than ${running}, wait for some of them`;
      throw new WebError("TOO_MANY_CALLS", message);
    }
    this.#running.set(owner, running + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#running.get(owner) ?? 1) - 1;
      if (left === 0) this.#running.delete(owner);
      else this.#running.set(owner, left);
    };
  }
}
