/**
 * Reads the table repeatedly over one connection: after each notification, and every second without
 * one. A connection that fails or hangs is replaced. The authorisation service has a shorter loop
 * to poll its signing keys: it needs no notifications, and this one is private to the package.
 */
import type { Clock } from "../clock.ts";
import {
  denylistReadSpacingMs,
  denylistRetryMsMax,
  denylistRetryMsMin,
  denylistTooLargeRetryMs,
} from "../limits.ts";
import { Connection, type PostgresClient } from "./connection.ts";
import {
  type DenylistReplica,
  DenylistTooLargeError,
  type EntriesRead,
} from "./denylist-replica.ts";
import { channel } from "./denylist-table.ts";

interface DenylistPollerOptions {
  readonly createClient: () => PostgresClient;
  readonly clock: Clock;
  readonly pollIntervalMs: number;
  readonly entries: DenylistReplica;
  /** Called after each read. Must not throw. */
  readonly onRead: (read: EntriesRead & { readonly beganAtMs: number }) => void;
  /** Called after each failure. Must not throw. */
  readonly onFailure: (error: Error) => void;
}

export class DenylistPoller {
  readonly #options: DenylistPollerOptions;
  readonly #ended: Promise<void>;
  #connection: Connection | undefined;
  #isClosing = false;
  #failures = 0;
  #hasNews = false;
  #wake: (() => void) | undefined;

  constructor(options: DenylistPollerOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  /** Stops at once. No callback is called afterwards. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#connection?.interrupt();
    this.#wake?.();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { clock, onFailure } = this.#options;
    while (!this.#isClosing) {
      const error = await this.#pollOver().catch((reason: Error) => reason);
      if (this.#isClosing || error === undefined) return;
      onFailure(error);
      const retryAtMs = clock.now() + this.#retryDelayMs(error);
      await this.#sleepUntil(() => retryAtMs);
    }
  }

  async #pollOver(): Promise<void> {
    const { createClient, clock, pollIntervalMs, entries, onRead } = this.#options;
    const connection = new Connection({
      client: createClient(),
      clock,
      onNews: () => this.#onNews(),
    });
    this.#connection = connection;
    try {
      await connection.open();
      await connection.query(`listen ${channel}`);
      entries.reset();
      while (!this.#isClosing) {
        const beganAtMs = clock.now();
        this.#hasNews = false;
        const read = await entries.read(connection);
        if (this.#isClosing) return;
        // A full read alone does not count as success: a connection that breaks after each one
        // would otherwise load the table again and again without delay.
        if (!read.isWhole) this.#failures = 0;
        onRead({ ...read, beganAtMs });
        await this.#sleepUntil(
          () => beganAtMs + (this.#hasNews ? denylistReadSpacingMs : pollIntervalMs),
        );
      }
    } finally {
      await connection.close();
    }
  }

  #onNews(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  /** Doubles with each failure, with up to 50 % jitter, so that not all servers retry at once. */
  #retryDelayMs(error: Error): number {
    if (error instanceof DenylistTooLargeError) return denylistTooLargeRetryMs;
    const delayMs = Math.min(denylistRetryMsMin * 2 ** this.#failures++, denylistRetryMsMax);
    return delayMs * (1 - Math.random() / 2);
  }

  /** A notification can move the time forward during the wait. */
  async #sleepUntil(time: () => number): Promise<void> {
    const { clock } = this.#options;
    while (!this.#isClosing && clock.now() < time()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const stopTimer = clock.after(Math.max(0, time() - clock.now()), resolve);
      await promise;
      stopTimer();
    }
    this.#wake = undefined;
  }
}
