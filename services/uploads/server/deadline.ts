import { Code, ConnectError } from "@connectrpc/connect";

/** The time that a call may take, from its headers on. */
export interface Deadline {
  /** Aborts when the time is up, with a Connect error `deadline_exceeded`. */
  readonly signal: AbortSignal;
  /** The call has ended: frees the timer. */
  clear(): void;
}

/**
 * Starts the time of a call: what its headers ask for, at most `timeoutMaxMs`, which also holds for
 * a caller that asks for nothing. 0 is up at once. A malformed value counts as none here; the
 * handler of the protocol refuses it.
 */
export function startDeadline(headers: Headers, timeoutMaxMs: number): Deadline {
  const controller = new AbortController();
  const expire = () => {
    controller.abort(new ConnectError("the time of the call is up", Code.DeadlineExceeded));
  };
  const timeoutMs = Math.min(timeoutMaxMs, ...askedTimeoutsMs(headers));
  if (timeoutMs <= 0) expire();
  const timer = setTimeout(expire, timeoutMs);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

const msOfGrpcUnit: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** What Connect's header and gRPC's ask for, in milliseconds. */
function askedTimeoutsMs(headers: Headers): number[] {
  const connect = /^(\d{1,10})$/.exec(headers.get("connect-timeout-ms") ?? "");
  const grpc = /^(\d{1,8})([HMSmun])$/.exec(headers.get("grpc-timeout") ?? "");
  const asked: number[] = [];
  if (connect !== null) asked.push(Number(connect[1]));
  if (grpc !== null) asked.push(Number(grpc[1]) * (msOfGrpcUnit[grpc[2] ?? ""] ?? 1));
  return asked;
}

/** The same chunks, until the signal aborts: then the reader gets the reason. */
export async function* readUntilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  const aborted = Promise.withResolvers<never>();
  // Rejected with nobody waiting, it must not count as unhandled.
  aborted.promise.catch(() => {});
  const onAbort = () => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      const chunk = await Promise.race([chunks.next(), aborted.promise]);
      if (chunk.done === true) return;
      yield chunk.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
