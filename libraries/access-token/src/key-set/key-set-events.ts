/** The events of a remote key set, for metrics. */
import type { KeyChanges } from "./published-keys.ts";

/**
 * Fetches are rare, at most two in 10 s. The other events occur for each request with an unknown
 * key ID, as fast as an attacker can send them, so count them and do not log each.
 *
 * `unverifiedKeyId` is the `kid` of an unverified token: quoted, escaped, in one line, and at most
 * about 100 characters. Times are in milliseconds.
 */
export type KeySetEvent =
  | KeySetFetched
  | KeySetFetchFailed
  | { readonly type: "requestFound"; readonly unverifiedKeyId: string }
  | {
      readonly type: "requestRefused";
      readonly unverifiedKeyId: string;
      readonly reason: KeyRefusalReason;
    };

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

/**
 * - `unknown`: a fetch that began after the request did not have the key (KEY_UNKNOWN)
 *
 * and these, with KEY_SET_UNAVAILABLE:
 * - `fetchFailed`: that fetch failed
 * - `nextFetchTooLate`: no fetch may begin while the request can wait
 * - `fetchTimedOut`: the fetch did not end while the request could wait
 */
export type KeyRefusalReason = "unknown" | "fetchFailed" | "nextFetchTooLate" | "fetchTimedOut";

export type KeySetListener = (event: KeySetEvent) => void;
