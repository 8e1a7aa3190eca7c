import type { Logger } from "./logger.ts";

/** The messages of the log lines. */
interface Messages {
  /** When requests begin to fail, and when they fail for another reason. */
  readonly failing: string;
  /** When none has failed for a while. */
  readonly over: string;
}

/** How often an outage is looked at: no lines follow each other more closely, but for the first. */
const intervalMs = 10_000;

/**
 * Logs outages, which make many requests fail, in few lines: one when an outage begins, one when
 * its reason has changed, and one when it is over. Each has the number of failures since the line
 * before as `count`. All have the level `warn`: a log that shows the beginning also shows the end.
 */
export class OutageLines {
  readonly #logger: Logger;
  readonly #messages: Messages;
  /** Set during an outage. */
  #timer: NodeJS.Timeout | undefined;
  #count = 0;
  #entry: object = {};
  #reason = "";
  #loggedReason = "";
  #hasFailed = false;

  constructor(logger: Logger, messages: Messages) {
    this.#logger = logger;
    this.#messages = messages;
  }

  /** A request failed. `entry` is for the line, if this one gets a line. */
  failed(reason: string, entry: object = { reason }): void {
    this.#count += 1;
    this.#hasFailed = true;
    this.#reason = reason;
    this.#entry = entry;
    if (this.#timer !== undefined) return;
    this.#logFailure();
    this.#timer = setInterval(() => this.#look(), intervalMs).unref();
  }

  #look(): void {
    if (!this.#hasFailed) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#log({}, this.#messages.over);
    } else if (this.#reason !== this.#loggedReason) {
      this.#logFailure();
    }
    this.#hasFailed = false;
  }

  #logFailure(): void {
    this.#loggedReason = this.#reason;
    this.#log(this.#entry, this.#messages.failing);
  }

  #log(entry: object, message: string): void {
    this.#logger.warn({ ...entry, count: this.#count }, message);
    this.#count = 0;
  }
}
