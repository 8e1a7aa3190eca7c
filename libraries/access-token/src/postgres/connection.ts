import type { Clock } from "../clock.ts";
import { denylistAnswerMs, denylistGoodbyeMs } from "../limits.ts";

/**
 * What this package needs of a PostgreSQL driver. `pg` has it; the package itself depends on none.
 */

/** What answers statements: a `Pool`, a `Client` or a `PoolClient` of `pg`. */
export interface PostgresQueryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** One connection that has not been opened yet: a new `Client` of `pg`. */
export interface PostgresClient extends PostgresQueryable {
  connect(): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "notification" | "end", listener: () => void): unknown;
  end(): Promise<void>;
  /** With it, a connection whose other end does not answer is cut at once. */
  readonly connection?: { readonly stream: { destroy(): unknown } };
}

interface ConnectionOptions {
  readonly client: PostgresClient;
  readonly clock: Clock;
  /** Called when the server notifies, and when the connection breaks. Must not throw. */
  readonly onNews: () => void;
}

/**
 * One connection to PostgreSQL, of which nothing takes longer than it may: a server that is stopped
 * and a network that swallows everything give neither an answer nor an error. One thing is asked at
 * a time.
 */
export class Connection implements PostgresQueryable {
  readonly #client: PostgresClient;
  readonly #clock: Clock;
  #broken: Error | undefined;
  #isDestroyed = false;
  #refuse: ((error: Error) => void) | undefined;

  constructor({ client, clock, onNews }: ConnectionOptions) {
    this.#client = client;
    this.#clock = clock;
    client.on("notification", onNews);
    // An error that nobody listens to would end the process. What is being asked fails by itself.
    client.on("error", (error) => {
      this.#broken ??= error;
      onNews();
    });
  }

  async open(): Promise<void> {
    await this.#ask(() => this.#client.connect());
  }

  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    return this.#ask(() => this.#client.query(text, values));
  }

  /** What is being asked fails at once, and so does whatever would be asked next. */
  interrupt(): void {
    this.#break(new Error("Cannot ask PostgreSQL: interrupted"));
  }

  /** Says goodbye to a server that listens. Never rejects. */
  async close(): Promise<void> {
    if (this.#isDestroyed) return;
    await this.#answer(() => this.#client.end(), denylistGoodbyeMs).catch(() => undefined);
    this.#destroy();
  }

  #ask<T>(ask: () => Promise<T>): Promise<T> {
    return this.#broken === undefined ? this.#answer(ask) : Promise.reject(this.#broken);
  }

  async #answer<T>(ask: () => Promise<T>, limitMs = denylistAnswerMs): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#refuse = reject;
    const stopTimer = this.#clock.after(limitMs, () =>
      this.#break(new Error(`Cannot reach PostgreSQL: no answer within ${limitMs} ms`)),
    );
    try {
      ask().then(resolve, reject);
      return await promise;
    } finally {
      stopTimer();
      this.#refuse = undefined;
    }
  }

  #break(error: Error): void {
    this.#broken ??= error;
    if (this.#refuse === undefined) return;
    this.#refuse(error);
    // A polite end would wait for the answer.
    this.#destroy();
  }

  #destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    const { connection } = this.#client;
    if (connection === undefined) this.#client.end().catch(() => undefined);
    else connection.stream.destroy();
  }
}
