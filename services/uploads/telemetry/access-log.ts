import { AccessLines, type AccessLogMode, type Logger } from "@stowage/process";
import type { CallRecord } from "./call-record.ts";

/** Claims of tokens are cut to this length. */
const claimCharactersMax = 128;

/** Writes access lines: for every call, or for some; see `AccessLines`. */
export class AccessLog {
  readonly #lines: AccessLines;

  constructor(logger: Logger, mode: AccessLogMode) {
    this.#lines = new AccessLines(logger, mode);
  }

  write(record: CallRecord, traceId: string | undefined): void {
    const { caller, durationMs } = record;
    this.#lines.write("call", { isFailed: record.reason !== "OK", durationMs }, () => ({
      requestId: record.requestId,
      traceId,
      operation: record.operation,
      code: record.code,
      reason: record.reason,
      rows: record.rows,
      bytes: record.answerBytes,
      subject: cut(caller?.subject),
      client: cut(caller?.clientId),
      tenant: cut(caller?.organisationId),
      bucket: record.bucketId,
    }));
  }
}

function cut(claim: string | undefined): string | undefined {
  return claim?.slice(0, claimCharactersMax);
}
