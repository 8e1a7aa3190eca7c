import { untilAborted } from "@stowage/process";
import type { RunningCall } from "../running-call.ts";

/** A call without limits, which ends when the signal aborts. */
export function callUnder(signal: AbortSignal): RunningCall {
  return { signal, onClosed() {}, sending: (_bytes, step) => untilAborted(step(), signal) };
}
