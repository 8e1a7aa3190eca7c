import type { Logger } from "./logger.ts";

/** The messages of the log lines. */
interface Messages {
  /** When requests begin to fail, and when they fail for another reason. */
  readonly failing: string;
  /** When none has failed for a while. */
  readonly over: string;
}

interface Failures {
  /** Of the first one. */
  readonly entry: object;
  count: number;
}

/** How often an outage is looked at. */
const intervalMs = 10_000;
/** Of one interval. */
const reasonsMax = 10;

/**
 * Logs outages, which make many requests fail, in few lines: one when an outage begins, one for
 * each reason that was not there 10 s before, and one when it is over. The `count` of a reason is
 * that of its failures since then; the last line has all failures that no line has counted. All
 * have the level `warn`: a log that shows the beginning also shows the end.
 */
export class OutageLines {
  readonly #logger: Logger;
  readonly #messages: Messages;
  /** Set during an outage. */
  #timer: NodeJS.Timeout | undefined;
  /** Failures that no line has counted. */
  #count = 0;
  /** By reason, since the last look. */
  readonly #failures = new Map<string, Failures>();
  #earlierReasons = new Set<string>();

  constructor(logger: Logger, messages: Messages) {
    this.#logger = logger;
    this.#messages = messages;
  }

  /**
   * A request failed. `entry` is for the line, if this one gets a line. It may have what differs
   * from request to request, such as a path; the reason must not.
   */
  failed(reason: string, entry: object = { reason }): void {
    this.#count += 1;
    const failures = this.#failures.get(reason);
    if (failures !== undefined) failures.count += 1;
    else if (this.#failures.size < reasonsMax) this.#failures.set(reason, { entry, count: 1 });
    if (this.#timer !== undefined) return;
    this.#logNewReasons();
    this.#timer = setInterval(() => this.#look(), intervalMs).unref();
  }

  #look(): void {
    if (this.#failures.size > 0) {
      this.#logNewReasons();
      this.#failures.clear();
      return;
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#earlierReasons.clear();
    this.#log({ entry: {}, count: this.#count }, this.#messages.over);
  }

  #logNewReasons(): void {
    for (const [reason, failures] of this.#failures) {
      if (!this.#earlierReasons.has(reason)) this.#log(failures, this.#messages.failing);
    }
    this.#earlierReasons = new Set(this.#failures.keys());
  }

  #log({ entry, count }: Failures, message: string): void {
    this.#logger.warn({ ...entry, count }, message);
    this.#count -= count;
  }
}
