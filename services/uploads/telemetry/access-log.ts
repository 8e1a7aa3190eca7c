import type { Logger } from "@stowage/process";
import type { CallRecord } from "./call-record.ts";

type AccessLogMode = "off" | "sampled" | "on";

/** Of the calls that are neither slow nor failed, one in this many is logged when sampled. */
const sampleEvery = 100;
const slowMs = 1000;
/** Most sampled lines in a second: anyone can cause errors. */
const linesPerSecondMax = 100;
/** Claims of tokens are cut to this length. */
const claimCharactersMax = 128;

/**
 * Writes one line for a call. `sampled` writes every failed and every slow call, at most 100 in a
 * second, and one in 100 of the others. `skipped` is the number of calls without a line since the
 * last line.
 */
export class AccessLog {
  readonly #logger: Logger;
  readonly #mode: AccessLogMode;
  #calls = 0;
  #skipped = 0;
  #secondStartMs = Number.NEGATIVE_INFINITY;
  #linesInSecond = 0;

  constructor(logger: Logger, mode: AccessLogMode) {
    // To look for secret members takes ten times as long as the rest, and a line has none. What
    // looks like a credential is removed from the finished line all the same.
    this.#logger = logger.child({}, { redact: [] });
    this.#mode = logger.isLevelEnabled("info") ? mode : "off";
  }

  write(record: CallRecord, traceId: string | undefined): void {
    if (this.#mode === "off") return;
    if (this.#mode === "sampled" && !this.#isSampled(record)) {
      this.#skipped += 1;
      return;
    }
    const { caller } = record;
    this.#logger.info(
      {
        requestId: record.requestId,
        traceId,
        operation: record.operation,
        code: record.code,
        reason: record.reason,
        timeMs: Math.round(record.durationMs * 10) / 10,
        rows: record.rows,
        bytes: record.answerBytes,
        subject: cut(caller?.subject),
        client: cut(caller?.clientId),
        tenant: cut(caller?.organisationId),
        bucket: record.bucketId,
        ...(this.#skipped > 0 && { skipped: this.#skipped }),
      },
      "call",
    );
    this.#skipped = 0;
  }

  #isSampled(record: CallRecord): boolean {
    const isNotable = record.reason !== "OK" || record.durationMs >= slowMs;
    this.#calls += 1;
    if (!isNotable && this.#calls % sampleEvery !== 0) return false;
    const nowMs = performance.now();
    if (nowMs - this.#secondStartMs >= 1000) {
      this.#secondStartMs = nowMs;
      this.#linesInSecond = 0;
    }
    this.#linesInSecond += 1;
    return this.#linesInSecond <= linesPerSecondMax;
  }
}

function cut(claim: string | undefined): string | undefined {
  return claim?.slice(0, claimCharactersMax);
}
