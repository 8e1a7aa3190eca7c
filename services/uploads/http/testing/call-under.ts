import { untilAborted } from "@stowage/process";
import { CallRecord } from "../../telemetry/call-record.ts";
import type { RunningCall } from "../running-call.ts";

/** A call without limits, which ends when the signal aborts. */
export function callUnder(signal: AbortSignal): RunningCall {
  return {
    record: new CallRecord("a-request"),
    signal,
    abort() {},
    onClosed() {},
    sendStep: (_bytes, step) => untilAborted(step(), signal),
  };
}
