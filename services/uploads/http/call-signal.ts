import type { IncomingHttpHeaders } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import { breakOff, type NodeResponse } from "./node-http.ts";

/**
 * The signal of a call, from its headers on. It aborts with a Connect error: `canceled` when the
 * caller disconnects, `deadline_exceeded` when the deadline passes. A response that has begun is
 * then broken off.
 *
 * The timeout comes from the headers. It is at most `timeoutMaxMs`, which is also the default. A
 * timeout of 0 has passed at once. A malformed one is ignored here, and the protocol's handler
 * refuses the request. The call and its timer end when the response is closed.
 */
export function callSignal(
  headers: IncomingHttpHeaders,
  response: NodeResponse,
  timeoutMaxMs: number,
): AbortSignal {
  const controller = new AbortController();
  const expire = () => {
    controller.abort(new ConnectError("the time of the call is up", Code.DeadlineExceeded));
    if (response.headersSent) breakOff(response);
  };
  const timeoutMs = requestedTimeoutMs(headers, timeoutMaxMs);
  if (timeoutMs <= 0) expire();
  const timer = setTimeout(expire, timeoutMs);
  response.once("close", () => {
    clearTimeout(timer);
    // On HTTP/2, a stream that the caller resets counts as finished, but was not ended here.
    if (response.writableEnded && response.writableFinished) return;
    controller.abort(new ConnectError("the caller went away", Code.Canceled));
  });
  return controller.signal;
}

const msOfGrpcUnit: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** The smallest of the timeouts in the headers of Connect and gRPC, and `timeoutMaxMs`. */
function requestedTimeoutMs(headers: IncomingHttpHeaders, timeoutMaxMs: number): number {
  let timeoutMs = timeoutMaxMs;
  const connect = headers["connect-timeout-ms"];
  if (typeof connect === "string" && /^\d{1,10}$/.test(connect)) {
    timeoutMs = Math.min(timeoutMs, Number(connect));
  }
  const grpc = headers["grpc-timeout"];
  if (typeof grpc === "string" && /^\d{1,8}[HMSmun]$/.test(grpc)) {
    const ms = Number(grpc.slice(0, -1)) * (msOfGrpcUnit[grpc.slice(-1)] ?? 1);
    timeoutMs = Math.min(timeoutMs, ms);
  }
  return timeoutMs;
}
