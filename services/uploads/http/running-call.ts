import type { IncomingHttpHeaders } from "node:http";
import { untilAborted } from "@stowage/process";
import { ApiError } from "../model/api-error.ts";
import type { CallRecord } from "../telemetry/call-record.ts";
import {
  abortResponse,
  isCallerGone,
  isQueued,
  type NodeResponse,
  untilTurn,
} from "./node-http.ts";
import { PausableTimeout } from "./pausable-timeout.ts";

/** A call, from its headers until its response is closed. */
export interface RunningCall {
  /** Filled while the call is served. */
  readonly record: CallRecord;
  /**
   * Aborts with an `ApiError`: CANCELLED when the caller is gone or does not read,
   * DEADLINE_EXCEEDED when the time is up, and that of `abort`. A response that has begun is then
   * broken off.
   */
  readonly signal: AbortSignal;
  /** Ends the call with this error. Does nothing if the signal has aborted. */
  abort(error: ApiError): void;
  /**
   * Runs a step that sends `bytes` and settles when the caller has taken them. This time does not
   * count as work. On HTTP/1.1 it first waits until earlier responses of the connection are sent:
   * Node would keep what is written before, and send it even after the call has ended. That wait
   * does count, since the call may hold a database connection. Rejects with the signal's reason
   * when it aborts, and also when the step fails because the caller is gone.
   */
  sendStep(bytes: number, step: () => Promise<void>): Promise<void>;
  /** Calls the listener when the response is closed, or at once if it is. */
  onClosed(listener: () => void): void;
}

export interface CallLimits {
  /** The longest time for the work of a call, without the time of sending. */
  readonly timeoutMaxMs: number;
  /** The longest time for sending `progressBytes`. */
  readonly sendProgressMs: number;
}

/** The least that a caller must read in each SEND_PROGRESS_MS. */
export const progressBytes = 16 * 1024;

/**
 * The timeout in the headers covers everything. A timeout of 0 has passed at once. A malformed one
 * is ignored here, and the protocol's handler refuses the request.
 */
export function openCall(
  headers: IncomingHttpHeaders,
  response: NodeResponse,
  { timeoutMaxMs, sendProgressMs }: CallLimits,
  record: CallRecord,
  now?: () => number,
): RunningCall {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = (error: ApiError) => {
    if (signal.aborted) return;
    controller.abort(error);
    if (response.headersSent) abortResponse(response);
  };
  const timeOut = () => {
    const message = "the time of the request ran out; give it more, or ask for less";
    abort(new ApiError("DEADLINE_EXCEEDED", message));
  };
  const cancel = (why: string) => abort(new ApiError("CANCELLED", why));

  const timeoutMs = requestedTimeoutMs(headers);
  if (timeoutMs <= 0) timeOut();
  const workTimeout = new PausableTimeout(timeoutMaxMs, timeOut, now);
  const timer = timeoutMs < timerMaxMs ? setTimeout(timeOut, timeoutMs) : undefined;
  let isClosed = false;
  response.once("close", () => {
    isClosed = true;
    workTimeout.clear();
    clearTimeout(timer);
    // On HTTP/2, a stream that the caller resets counts as finished, but was not ended here.
    if (!response.writableEnded || !response.writableFinished) cancel("the caller went away");
  });

  return {
    record,
    signal,
    abort,
    onClosed(listener) {
      if (isClosed) listener();
      else response.once("close", listener);
    },
    async sendStep(bytes, step) {
      signal.throwIfAborted();
      let stalled: NodeJS.Timeout | undefined;
      try {
        if (isQueued(response)) await untilAborted(untilTurn(response), signal);
        workTimeout.pause();
        stalled = setTimeout(
          () => cancel("the caller does not read"),
          sendProgressMs * Math.max(1, Math.ceil(bytes / progressBytes)),
        );
        await untilAborted(step(), signal);
        record.answerBytes += bytes;
      } catch (error) {
        // A write can fail before the response is closed.
        if (isCallerGone(response)) cancel("the caller went away");
        signal.throwIfAborted();
        throw error;
      } finally {
        workTimeout.resume();
        clearTimeout(stalled);
      }
    },
  };
}

/** The longest time that a timer of Node can have: 25 days. */
const timerMaxMs = 2 ** 31;

const msOfGrpcUnit: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** The smaller of the timeouts in the headers of Connect and gRPC. */
function requestedTimeoutMs(headers: IncomingHttpHeaders): number {
  let timeoutMs = Number.POSITIVE_INFINITY;
  const connect = headers["connect-timeout-ms"];
  if (typeof connect === "string" && /^\d{1,10}$/.test(connect)) timeoutMs = Number(connect);
  const grpc = headers["grpc-timeout"];
  if (typeof grpc === "string" && /^\d{1,8}[HMSmun]$/.test(grpc)) {
    const ms = Number(grpc.slice(0, -1)) * (msOfGrpcUnit[grpc.slice(-1)] ?? 1);
    timeoutMs = Math.min(timeoutMs, ms);
  }
  return timeoutMs;
}
