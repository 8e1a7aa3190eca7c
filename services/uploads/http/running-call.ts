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
  /** The time that a caller has to read `progressBytes`. */
  readonly sendProgressMs: number;
}

/** What a caller must read in each SEND_PROGRESS_MS, on average. */
export const progressBytes = 16 * 1024;

/**
 * How long a caller may read nothing: a minute by default.
 *
 * The service sees what the operating system accepts, not what the caller reads. A system that
 * holds its usual 4 MiB of an answer accepts more when a third of that is read, and behind a proxy
 * when about twice as much is. A caller that reads 60 KB/s needs most of a minute for that.
 */
export function pauseMaxMs({ sendProgressMs }: CallLimits): number {
  return 6 * sendProgressMs;
}

/**
 * The timeout in the headers covers everything. A timeout of 0 has passed at once. A malformed one
 * is ignored here, and the protocol's handler refuses the request.
 */
export function openCall(
  headers: IncomingHttpHeaders,
  response: NodeResponse,
  limits: CallLimits,
  record: CallRecord,
  now = () => performance.now(),
): RunningCall {
  const { timeoutMaxMs, sendProgressMs } = limits;
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
  record.hasOwnTimeout = timeoutMs < timeoutMaxMs;
  if (timeoutMs <= 0) timeOut();
  const workTimeout = new PausableTimeout(timeoutMaxMs, timeOut, now);
  const timer = timeoutMs < timerMaxMs ? setTimeout(timeOut, timeoutMs) : undefined;
  /** What the caller has left of its time to read all that was sent. */
  let readingMs = sendProgressMs;
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
      let tooSlow: NodeJS.Timeout | undefined;
      try {
        if (isQueued(response)) await untilAborted(untilTurn(response), signal);
        workTimeout.pause();
        readingMs += (sendProgressMs * bytes) / progressBytes;
        readingMs = Math.min(readingMs, pauseMaxMs(limits));
        tooSlow = setTimeout(() => cancel("the caller does not read"), readingMs);
        const startMs = now();
        await untilAborted(step(), signal);
        readingMs = Math.max(0, readingMs - (now() - startMs));
        record.answerBytes += bytes;
      } catch (error) {
        // A write can fail before the response is closed.
        if (isCallerGone(response)) cancel("the caller went away");
        signal.throwIfAborted();
        throw error;
      } finally {
        workTimeout.resume();
        clearTimeout(tooSlow);
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
