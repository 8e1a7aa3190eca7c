/**
 * Tells clients that sessions have ended, again and again until they have heard it or its time is
 * over. All processes share the work; what one has not finished when it ends, another does.
 */
import { errorText, type Logger } from "@stowage/process";
import type pg from "pg";
import {
  claimLogoutNotices,
  type LogoutNotice,
  postponeLogoutNotice,
  removeLogoutNotice,
} from "../store/logout-notices.ts";
import { type LogoutTokenOptions, signLogoutToken, tellClient } from "./notify-client.ts";

/** What delivering takes. */
export interface DeliveryOptions extends LogoutTokenOptions {
  pool: pg.Pool;
  logger: Logger;
  times?: DeliveryTimes;
}

/** How long things take, in milliseconds. */
export interface DeliveryTimes {
  /** From one look for what is due to the next. */
  pollMs: number;
  /** How long a client has to answer. */
  answerMs: number;
  /** From a failure to the next try: at first, and at most. It doubles from try to try. */
  retryMsMin: number;
  retryMsMax: number;
  /** After which a try that has not ended is taken to have died with its process. */
  leaseMs: number;
}

const timesDefault: DeliveryTimes = {
  pollMs: 1_000,
  answerMs: 5_000,
  retryMsMin: 1_000,
  // A notice's time is 24 h: with that some 150 tries, the first ten in 17 minutes.
  retryMsMax: 600_000,
  leaseMs: 30_000,
};

/** Tries under way at once, by each process. */
const triesMax = 16;

/** Deliveries that go on until they are stopped. */
export interface Delivery {
  /** Looks for what is due at once. */
  wake(): void;
  /** Begins nothing more and breaks off what is under way, which is due again at once. */
  stop(): Promise<void>;
}

/** Begins to deliver. */
export function deliverLogoutNotices(options: DeliveryOptions): Delivery {
  const { pool, logger, times = timesDefault } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const timer = new WakingTimer(signal);
  /** One try for each client at once. */
  const underWay = new Map<string, Promise<void>>();

  const deliver = async (notice: LogoutNotice) => {
    const { noticeId, clientId, logoutUri, attempts } = notice;
    try {
      const logoutToken = await signLogoutToken(notice, options);
      await tellClient({ logoutUri, logoutToken, timeoutMs: times.answerMs, signal });
      await removeLogoutNotice(pool, noticeId);
      logger.info({ clientId, attempts }, "told a client that a session has ended");
    } catch (error) {
      const delayMs = signal.aborted ? 0 : retryDelayMs(attempts, times);
      await postponeLogoutNotice(pool, noticeId, delayMs);
      const details = { clientId, attempts, delayMs, reason: errorText(error) };
      if (!signal.aborted) logger.warn(details, "could not tell a client that a session has ended");
    }
  };
  const begin = (notice: LogoutNotice) => {
    const delivering = deliver(notice)
      // The database is away. The notice is due again when its lease is over.
      .catch((error) => logger.warn({ reason: errorText(error) }, "cannot note a logout's outcome"))
      .finally(() => {
        underWay.delete(notice.clientId);
        timer.wake();
      });
    underWay.set(notice.clientId, delivering);
  };
  const beginDue = async () => {
    const countMax = triesMax - underWay.size;
    if (countMax === 0) return;
    const exceptClients = [...underWay.keys()];
    const leaseSeconds = times.leaseMs / 1000;
    const due = await claimLogoutNotices(pool, { countMax, leaseSeconds, exceptClients });
    for (const notice of due) begin(notice);
  };
  const run = async () => {
    while (!signal.aborted) {
      await beginDue().catch((error) =>
        logger.debug({ reason: errorText(error) }, "cannot look for clients to tell of logouts"),
      );
      await timer.rest(times.pollMs);
    }
    await Promise.all(underWay.values());
  };
  const running = run();
  return {
    wake: () => timer.wake(),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Between half the time and the whole: those who failed together do not return together. */
function retryDelayMs(attempts: number, { retryMsMin, retryMsMax }: DeliveryTimes): number {
  const longestMs = Math.min(retryMsMin * 2 ** (attempts - 1), retryMsMax);
  return Math.ceil((longestMs * (1 + Math.random())) / 2);
}

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
