import type { Logger } from "../logger.ts";

export type AccessLogMode = "off" | "sampled" | "on";

/** A request that has ended. */
interface EndedRequest {
  readonly isFailed: boolean;
  readonly durationMs: number;
}

/** Of the requests that are neither slow nor failed, one in this many is logged when sampled. */
const sampleEvery = 100;
const slowMs = 1000;
/** Most sampled lines in a second: anyone can cause errors. */
const linesPerSecondMax = 100;

/**
 * Writes one line for a request. `sampled` writes every failed and every slow request, at most 100
 * in a second, and one in 100 of the others. `skipped` is the number of requests without a line
 * since the last line.
 */
export class AccessLines {
  readonly #logger: Logger;
  readonly #mode: AccessLogMode;
  #requests = 0;
  #skipped = 0;
  #secondStartMs = Number.NEGATIVE_INFINITY;
  #linesInSecond = 0;

  constructor(logger: Logger, mode: AccessLogMode) {
    this.#logger = logger;
    this.#mode = logger.isLevelEnabled("info") ? mode : "off";
  }

  /** @param members makes the members of the line: never a secret, nor what a person typed */
  write(message: string, request: EndedRequest, members: () => object): void {
    if (this.#mode === "off") return;
    if (this.#mode === "sampled" && !this.#isSampled(request)) {
      this.#skipped += 1;
      return;
    }
    const skipped = this.#skipped > 0 && { skipped: this.#skipped };
    const timeMs = Math.round(request.durationMs * 10) / 10;
    this.#logger.info({ ...members(), timeMs, ...skipped }, message);
    this.#skipped = 0;
  }

  #isSampled({ isFailed, durationMs }: EndedRequest): boolean {
    this.#requests += 1;
    const isNotable = isFailed || durationMs >= slowMs;
    if (!isNotable && this.#requests % sampleEvery !== 0) return false;
    const nowMs = performance.now();
    if (nowMs - this.#secondStartMs >= 1000) {
      this.#secondStartMs = nowMs;
      this.#linesInSecond = 0;
    }
    this.#linesInSecond += 1;
    return this.#linesInSecond <= linesPerSecondMax;
  }
}
