/**
 * Delivers logout notices: tells each client that sessions have ended. All processes share the
 * work. A notice is lost if the client does not confirm it soon, or if the process that has taken
 * it stops: the tokens of the session are on the denylist anyway.
 */
import { setTimeout } from "node:timers/promises";
import type { Counter } from "@prometheus-io/client";
import { errorText, type Logger, repeat } from "@stowage/process";
import type pg from "pg";
import { type LogoutNotice, takeLogoutNotices } from "../store/logout-notices.ts";
import { type LogoutTokenOptions, notifyClient, signLogoutToken } from "./notify-client.ts";

/** What the delivery needs. */
interface DeliveryOptions extends LogoutTokenOptions {
  pool: pg.Pool;
  /** Counts the notices. */
  notices: Counter<"result">;
  logger: Logger;
  times?: typeof timesDefault;
}

const timesDefault = {
  /** The longest wait for a client's answer. */
  answerMs: 5000,
  /** Before each try. */
  pausesMs: [0, 1000, 5000],
};

/** A person may have 100 sessions at a client that does not answer. Others need not wait for it. */
const runningMax = 256;

/** Delivers until the returned function is called, which aborts the running tries. */
export function deliverLogoutNotices(options: DeliveryOptions): () => Promise<void> {
  const { pool, logger } = options;
  const running = new Set<Promise<void>>();
  const take = async (signal: AbortSignal) => {
    for (const notice of await takeLogoutNotices(pool, runningMax - running.size)) {
      const delivering = deliver(notice, options, signal).finally(() => running.delete(delivering));
      running.add(delivering);
    }
  };
  const stopTaking = repeat({ firstMs: 0, intervalMs: 1000 }, (signal) =>
    take(signal).catch((error) =>
      logger.debug({ reason: errorText(error) }, "cannot look for clients to tell of logouts"),
    ),
  );
  return async () => {
    await stopTaking();
    await Promise.all(running);
  };
}

async function deliver(notice: LogoutNotice, options: DeliveryOptions, signal: AbortSignal) {
  const { notices, logger, times = timesDefault } = options;
  const { clientId, logoutUri } = notice;
  let reason = "";
  for (const pauseMs of times.pausesMs) {
    try {
      await setTimeout(pauseMs, undefined, { signal });
      const logoutToken = await signLogoutToken(notice, options);
      await notifyClient({ logoutUri, logoutToken, timeoutMs: times.answerMs, signal });
      notices.inc({ result: "delivered" });
      logger.info({ clientId }, "told a client that a session has ended");
      return;
    } catch (error) {
      reason = errorText(error);
    }
  }
  notices.inc({ result: "failed" });
  logger.warn({ clientId, reason }, "could not tell a client that a session has ended");
}
