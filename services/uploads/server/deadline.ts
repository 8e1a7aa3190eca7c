/**
 * Gives every call a deadline: the caller's, at most `timeoutMaxMs`, which also holds for a caller
 * that sets none. A malformed value stays as it is, for the protocol's handler to refuse.
 */
export function clampDeadline(headers: Headers, timeoutMaxMs: number): void {
  const isGrpc = headers.get("content-type")?.startsWith("application/grpc") === true;
  const name = isGrpc ? "grpc-timeout" : "connect-timeout-ms";
  const given = headers.get(name);
  const askedMs = given === null ? Number.POSITIVE_INFINITY : timeoutMsOf(given, isGrpc);
  if (askedMs > timeoutMaxMs) headers.set(name, isGrpc ? `${timeoutMaxMs}m` : `${timeoutMaxMs}`);
}

const msOfGrpcUnit: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

// NaN, which is over no limit, for a malformed value.
function timeoutMsOf(value: string, isGrpc: boolean): number {
  if (!isGrpc) return /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  const [, amount, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(value) ?? [];
  return Number(amount) * (msOfGrpcUnit[unit] ?? Number.NaN);
}
