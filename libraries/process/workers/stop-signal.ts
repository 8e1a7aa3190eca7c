import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { errorText } from "../error-text.ts";
import type { Logger } from "../logger.ts";

/** The reason for a program to end: a signal to it or to its primary. */
export class Stopped extends DOMException {
  readonly signalName: NodeJS.Signals;

  constructor(signalName: NodeJS.Signals) {
    super(`stopped by ${signalName}`, "AbortError");
    this.signalName = signalName;
  }
}

/** Logs the signal that tells a service to end, when it comes. */
export function logStop(signal: AbortSignal, logger: Logger): void {
  signal.addEventListener("abort", () => {
    logger.info({ reason: errorText(signal.reason) }, "stopping");
  });
}

/**
 * Waits until a service must end, and then, after SIGTERM, for `drainMs` more: it still serves, but
 * is not ready, so that load balancers stop sending it calls. After Ctrl-C it does not wait, nor if
 * it was never ready.
 *
 * @param signal That of `runProgram`.
 */
export async function untilDrained(signal: AbortSignal, drainMs: number): Promise<void> {
  if (signal.aborted) return;
  await once(signal, "abort");
  const { reason } = signal;
  if (reason instanceof Stopped && reason.signalName === "SIGTERM") await setTimeout(drainMs);
}
