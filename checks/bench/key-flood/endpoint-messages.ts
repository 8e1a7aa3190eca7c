/** What the benchmark and the endpoint's process tell each other. */

/** `up`: answers with the keys. `failing`: answers 503. `hanging`: takes requests, answers none. */
export type Behaviour = "up" | "failing" | "hanging";

export interface EndpointOrder {
  readonly behaviour: Behaviour;
  readonly keys: readonly object[];
}

export type EndpointReport =
  /** Once, when it listens. */
  | { readonly listeningOnPort: number }
  /** An order is in force. */
  | { readonly obeyed: true }
  /** A request came, at this time of the endpoint's own clock. */
  | { readonly fetchedAtMs: number };
