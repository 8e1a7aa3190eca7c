/** The events of a remote key set, for metrics. */
import type { KeyChanges } from "./published-keys.ts";

/**
 * Fetches are rare, at most two in 10 s. The other events occur for each request with an unknown
 * key ID, as fast as an attacker can send them, so count them and do not log each.
 *
 * `unverifiedKeyId` is the `kid` of an unverified token: quoted, escaped, in one line, and at most
 * about 100 characters. `waiting` is the number of held requests after the event. Times are in
 * milliseconds.
 */
export type KeySetEvent =
  | KeySetFetched
  | KeySetFetchFailed
  | KeyRequestHeld
  | KeyRequestFound
  | KeyRequestRefused;

/**
 * A fetch returned a usable set, which is now in use. `added`, `withdrawn` and `replaced` (new
 * material under an old key ID) list the changes, usually none.
 */
interface KeySetFetched extends KeyChanges {
  readonly type: "fetched";
  /** From the start of the fetch until its keys were in use. */
  readonly durationMs: number;
  /** All current keys: at most 32 IDs of at most 256 bytes. */
  readonly keyIds: readonly string[];
}

/** A fetch failed or its response is unusable. The keys stay the same. */
interface KeySetFetchFailed {
  readonly type: "fetchFailed";
  readonly durationMs: number;
  /** Its message has the address and the failure. */
  readonly error: Error;
}

/** A request with an unknown key ID is held until a fetch ends, at most 1,000 ms. */
interface KeyRequestHeld {
  readonly type: "requestHeld";
  readonly unverifiedKeyId: string;
  readonly waiting: number;
}

/** A fetch found the key of a held request. */
interface KeyRequestFound {
  readonly type: "requestFound";
  readonly unverifiedKeyId: string;
  /** How long the request was held. */
  readonly waitedMs: number;
  readonly waiting: number;
}

/** A request got no key; `waitedMs` is 0 when it was not held. */
interface KeyRequestRefused {
  readonly type: "requestRefused";
  readonly unverifiedKeyId: string;
  readonly reason: KeyRefusalReason;
  readonly waitedMs: number;
  readonly waiting: number;
}

/**
 * - `unknown`: a fetch that began after the request did not have the key (KEY_UNKNOWN)
 *
 * and these, with KEY_SET_UNAVAILABLE:
 * - `fetchFailed`: that fetch failed
 * - `nextFetchTooLate`: the next fetch may not begin while the request can be held
 * - `fetchTimedOut`: the fetch did not end while the request could be held
 * - `queueFull`: too many requests are held already
 */
export type KeyRefusalReason =
  | "unknown"
  | "fetchFailed"
  | "nextFetchTooLate"
  | "fetchTimedOut"
  | "queueFull";

export type KeySetListener = (event: KeySetEvent) => void;
