import type { IncomingHttpHeaders } from "node:http";
import { constants as http2Constants } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import type { NodeResponse } from "./request-listener.ts";

/**
 * The signal of a call, from its headers on: it aborts with a Connect error, `canceled` when the
 * caller goes away and `deadline_exceeded` when the time is up. Then an answer that is on its way
 * is broken off.
 *
 * The time is what the headers ask for, at most `timeoutMaxMs`, which also holds for a caller that
 * asks for nothing. 0 is up at once. A malformed value counts as none here; the handler of the
 * protocol refuses it. The call ends, and its timer with it, once the response is closed.
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
  const timeoutMs = askedTimeoutMs(headers, timeoutMaxMs);
  if (timeoutMs <= 0) expire();
  const timer = setTimeout(expire, timeoutMs);
  response.once("close", () => {
    clearTimeout(timer);
    // On HTTP/2, what the caller resets counts as finished, but nobody has ended it here.
    if (response.writableEnded && response.writableFinished) return;
    controller.abort(new ConnectError("the caller went away", Code.Canceled));
  });
  return controller.signal;
}

/** Ends a response so that it does not look whole. */
export function breakOff(response: NodeResponse): void {
  // On HTTP/2, a stream that is destroyed without a reason may look as if it had ended well.
  if ("stream" in response) response.stream.close(http2Constants.NGHTTP2_INTERNAL_ERROR);
  response.destroy();
}

const msOfGrpcUnit: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** What Connect's header and gRPC's ask for. */
function askedTimeoutMs(headers: IncomingHttpHeaders, timeoutMaxMs: number): number {
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
