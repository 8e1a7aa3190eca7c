import type { Clock } from "../clock.ts";
import { denylistAnswerTimeoutMs, denylistCloseTimeoutMs } from "../limits.ts";

/** Runs statements: a `Pool`, a `Client` or a `PoolClient` of `pg`, or of a similar driver. */
export interface PostgresQueryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A connection that is not open yet: a new `Client` of `pg`. */
export interface PostgresClient extends PostgresQueryable {
  connect(): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "notification" | "end", listener: () => void): unknown;
  end(): Promise<void>;
  /** If present, a connection whose server does not answer is closed at once. */
  readonly connection?: { readonly stream: { destroy(): unknown } };
}

interface ConnectionOptions {
  readonly client: PostgresClient;
  readonly clock: Clock;
  /** Called when the server notifies, and when the connection breaks. Must not throw. */
  readonly onNews: () => void;
}

/**
 * A connection to PostgreSQL with a time limit for each operation: a stopped server or a broken
 * network gives neither an answer nor an error. It runs one operation at a time.
 */
export class Connection implements PostgresQueryable {
  readonly #client: PostgresClient;
  readonly #clock: Clock;
  #broken: Error | undefined;
  #isDestroyed = false;
  #rejectRunning: ((error: Error) => void) | undefined;

  constructor({ client, clock, onNews }: ConnectionOptions) {
    this.#client = client;
    this.#clock = clock;
    client.on("notification", onNews);
    // Without a listener, an error would end the process. A running query rejects by itself.
    client.on("error", (error) => {
      this.#broken ??= error;
      onNews();
    });
  }

  async open(): Promise<void> {
    await this.#run(() => this.#client.connect());
  }

  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    return this.#run(() => this.#client.query(text, values));
  }

  /** Makes the running operation and all later ones fail. */
  interrupt(): void {
    this.#break(new Error("Cannot ask PostgreSQL: interrupted"));
  }

  /** Ends the connection gracefully if the server answers. Never rejects. */
  async close(): Promise<void> {
    if (this.#isDestroyed) return;
    await this.#runWithin(() => this.#client.end(), denylistCloseTimeoutMs).catch(() => undefined);
    this.#destroy();
  }

  #run<T>(operation: () => Promise<T>): Promise<T> {
    return this.#broken === undefined ? this.#runWithin(operation) : Promise.reject(this.#broken);
  }

  async #runWithin<T>(operation: () => Promise<T>, limitMs = denylistAnswerTimeoutMs): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#rejectRunning = reject;
    const stopTimer = this.#clock.after(limitMs, () =>
      this.#break(new Error(`Cannot reach PostgreSQL: no answer within ${limitMs} ms`)),
    );
    try {
      operation().then(resolve, reject);
      return await promise;
    } finally {
      stopTimer();
      this.#rejectRunning = undefined;
    }
  }

  #break(error: Error): void {
    this.#broken ??= error;
    if (this.#rejectRunning === undefined) return;
    this.#rejectRunning(error);
    // A graceful end would wait for the answer.
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
