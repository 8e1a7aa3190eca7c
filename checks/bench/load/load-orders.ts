/** What the load generator can be told to do, and what it says then. */

interface LoadOrder {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Whole HTTP/1.1 requests, as bytes. */
  readonly requests: readonly Uint8Array[];
}

/** So many connections for so long, each with the next request as soon as it has an answer. */
export interface ClosedLoopOrder extends LoadOrder {
  readonly kind: "closed loop";
  readonly connections: number;
  readonly milliseconds: number;
}

/** Every request once and in order, on one connection. */
export interface EachOrder extends LoadOrder {
  readonly kind: "each";
}

/** The first request again and again for so long; what is under way then is broken off. */
export interface RepeatOrder extends LoadOrder {
  readonly kind: "repeat";
  readonly milliseconds: number;
}

export type AnyLoadOrder = ClosedLoopOrder | EachOrder | RepeatOrder;

export interface LoadReport {
  /** From the first request until the last answer, or until it was broken off. */
  readonly tookMs: number;
  /** Of each answer, from the request until its last byte. */
  readonly latenciesMs: Float64Array;
  /** Of each answer, until its first byte. */
  readonly firstByteMs: Float64Array;
  readonly bodyBytes: number;
}
