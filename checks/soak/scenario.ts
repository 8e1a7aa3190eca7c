/** What a soak does to a service. */
import type { CallLog } from "./call-log.ts";
import type { Fault } from "./episodes.ts";
import type { Usage } from "./usage.ts";

export interface Scenario {
  readonly summary: string;
  /** The longest fault. */
  readonly faultMaxMs: number;
  /** Calls that begin so long after a fault must succeed. */
  readonly recoveryMaxMs: number;
  readonly start: (options: StartOptions) => Promise<Running>;
}

export interface StartOptions {
  readonly seed: number;
  /** A part of the usual rates, for a machine that has other work. */
  readonly pace: number;
}

/** A service that is warm. */
export interface Running {
  readonly log: CallLog;
  /** All that can be done to it, in this order. */
  readonly faults: readonly Fault[];
  /** Returns what ends the load, after a last look at everything. */
  startLoad(): Promise<() => Promise<void>>;
  /** What the processes hold now; undefined if nothing is promised of that. */
  readonly readUsage?: () => Promise<Usage>;
  serviceLog(): string;
  close(): Promise<void>;
}
