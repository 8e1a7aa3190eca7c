/**
 * Delivers logout notices: tells each client that sessions have ended, until the client confirms or
 * the notice expires. All processes share the work. Another process takes over what one has not
 * finished.
 */
import type { Counter } from "@prometheus-io/client";
import { errorText, type Logger } from "@stowage/process";
import type pg from "pg";
import {
  claimLogoutNotices,
  type LogoutNotice,
  postponeLogoutNotice,
  removeLogoutNotice,
} from "../store/logout-notices.ts";
import { type LogoutTokenOptions, notifyClient, signLogoutToken } from "./notify-client.ts";

/** What the delivery needs. */
interface DeliveryOptions extends LogoutTokenOptions {
  pool: pg.Pool;
  /** Counts the tries. */
  notices: Counter<"result">;
  logger: Logger;
  times?: DeliveryTimes;
}

/** Times in milliseconds. */
export interface DeliveryTimes {
  /** Between two looks for notices that are due. */
  pollMs: number;
  /** The longest wait for a client's answer. */
  answerMs: number;
  /** The wait after the first failure, and the longest. It doubles with each failure. */
  retryMsMin: number;
  retryMsMax: number;
  /** A notice is due again after this time if the process that claimed it has died. */
  leaseMs: number;
}

const timesDefault: DeliveryTimes = {
  pollMs: 1_000,
  answerMs: 5_000,
  retryMsMin: 1_000,
  // A notice expires after 24 h. That makes some 150 tries, the first ten in 17 minutes.
  retryMsMax: 600_000,
  leaseMs: 30_000,
};

/** Concurrent tries of a process. */
const triesMax = 16;

/** A delivery that runs until it is stopped. */
export interface Delivery {
  /** Looks at once for notices that are due. */
  wake(): void;
  /** Starts no more tries and aborts the running ones. Their notices are due again at once. */
  stop(): Promise<void>;
}

/** Starts the delivery. */
export function deliverLogoutNotices(options: DeliveryOptions): Delivery {
  const { pool, notices, logger, times = timesDefault } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const timer = new WakingTimer(signal);
  /** The running tries by client: one for each client at a time. */
  const running = new Map<string, Promise<void>>();

  const deliver = async (notice: LogoutNotice) => {
    const { noticeId, clientId, logoutUri, attempts } = notice;
    try {
      const logoutToken = await signLogoutToken(notice, options);
      await notifyClient({ logoutUri, logoutToken, timeoutMs: times.answerMs, signal });
      await removeLogoutNotice(pool, noticeId);
      notices.inc({ result: "delivered" });
      logger.info({ clientId, attempts }, "told a client that a session has ended");
    } catch (error) {
      const delayMs = signal.aborted ? 0 : retryDelayMs(attempts, times);
      await postponeLogoutNotice(pool, noticeId, delayMs);
      const details = { clientId, attempts, delayMs, reason: errorText(error) };
      if (signal.aborted) return;
      notices.inc({ result: "failed" });
      logger.warn(details, "could not tell a client that a session has ended");
    }
  };
  const begin = (notice: LogoutNotice) => {
    const delivering = deliver(notice)
      // The database is not available. The notice is due again after its lease.
      .catch((error) =>
        logger.warn({ reason: errorText(error) }, "cannot record a logout's outcome"),
      )
      .finally(() => {
        running.delete(notice.clientId);
        timer.wake();
      });
    running.set(notice.clientId, delivering);
  };
  const beginDue = async () => {
    const countMax = triesMax - running.size;
    if (countMax === 0) return;
    const exceptClients = [...running.keys()];
    const leaseSeconds = times.leaseMs / 1000;
    const due = await claimLogoutNotices(pool, { countMax, leaseSeconds, exceptClients });
    for (const notice of due) begin(notice);
  };
  const run = async () => {
    while (!signal.aborted) {
      await beginDue().catch((error) =>
        logger.debug({ reason: errorText(error) }, "cannot look for clients to tell of logouts"),
      );
      await timer.pause(times.pollMs);
    }
    await Promise.all(running.values());
  };
  const done = run();
  return {
    wake: () => timer.wake(),
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

/** Random between half of the delay and all of it, so that clients are not retried together. */
function retryDelayMs(attempts: number, { retryMsMin, retryMsMax }: DeliveryTimes): number {
  const longestMs = Math.min(retryMsMin * 2 ** (attempts - 1), retryMsMax);
  return Math.ceil((longestMs * (1 + Math.random())) / 2);
}

/** Pauses that can be ended early, even before they begin. */
class WakingTimer {
  #awake = Promise.withResolvers<void>();

  /** @param signal ends all pauses */
  constructor(signal: AbortSignal) {
    signal.addEventListener("abort", () => this.wake());
  }

  /** Ends this pause, or the next one if none has begun. */
  wake(): void {
    this.#awake.resolve();
  }

  async pause(ms: number): Promise<void> {
    const timer = setTimeout(() => this.wake(), ms);
    await this.#awake.promise;
    clearTimeout(timer);
    this.#awake = Promise.withResolvers();
  }
}
