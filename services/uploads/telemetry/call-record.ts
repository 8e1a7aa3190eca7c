/**
 * What is known about a call when it ends: the source of metrics, the access line and the trace.
 *
 * It never holds anything that a caller can write freely: no cursor, search text, path or message.
 */
import { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { AccessToken } from "@stowage/access-token";
import type { CallDetails, TriedPlan } from "../calls/call-details.ts";
import type { Reason } from "../model/api-error.ts";
import { errorCodes } from "../model/error-codes.ts";

export class CallRecord implements CallDetails {
  readonly requestId: string;
  readonly startMs = performance.now();
  /** The name of the method; `unknown` if the request was refused before it was found. */
  operation = "unknown";
  /** The service of the method: `svc.api.v1.BucketUploadsService`. */
  service: string | undefined;
  protocol: "connect_rpc" | "grpc" = "connect_rpc";
  /** Whether the caller gave the call less time than the server's limit. */
  hasOwnTimeout = false;
  /** The valid token, whether or not it permits the call. */
  caller: AccessToken | undefined;
  bucketId: string | undefined;
  rows: number | undefined;
  plans: readonly TriedPlan[] = [];
  /** Bytes of the body of the answer, as sent. */
  answerBytes = 0;
  #reason: Reason | undefined;
  #durationMs: number | undefined;

  constructor(requestId: string) {
    this.requestId = requestId;
  }

  /** Records why the call failed. Only the first reason counts. */
  fail(reason: Reason): void {
    this.#reason ??= reason;
  }

  /** Ends the measured time. Only the first call counts. */
  stop(): void {
    this.#durationMs ??= performance.now() - this.startMs;
  }

  /** The reason of the error, or `OK`. */
  get reason(): Reason | "OK" {
    return this.#reason ?? "OK";
  }

  /** The code of the error as Connect writes it, or `ok`. */
  get code(): string {
    return this.#reason === undefined ? "ok" : codeToString(errorCodes[this.#reason].code);
  }

  /** Whether the service failed, and not the caller. */
  get isFault(): boolean {
    return this.#reason !== undefined && faults.has(errorCodes[this.#reason].code);
  }

  /** From the headers of the request until the answer was sent. */
  get durationMs(): number {
    return this.#durationMs ?? performance.now() - this.startMs;
  }
}

const faults: ReadonlySet<Code> = new Set([
  Code.DeadlineExceeded,
  Code.Internal,
  Code.Unavailable,
  Code.Unknown,
]);
