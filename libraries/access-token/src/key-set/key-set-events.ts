/**
 * What a remote key set tells of itself, for dashboards and alarms.
 */
import type { KeyChanges } from "./published-keys.ts";

/**
 * Fetches are rare, at most two in 10 s. The others come for each request with a key ID that is not
 * known: as fast as an attacker can send them, so count them and do not log each.
 *
 * `unverifiedKeyId` is the `kid` of a token that nobody has verified: quoted, escaped, on one line,
 * and at most about 100 characters. `waiting` is how many requests are held after the event.
 */
export type KeySetEvent =
  | KeySetFetched
  | KeySetFetchFailed
  | KeyRequestHeld
  | KeyRequestFound
  | KeyRequestRefused;

/**
 * A fetch gave a usable set, which is now in force. `added`, `withdrawn` and `replaced` (new
 * material under an old key ID) tell what is different, usually nothing.
 */
interface KeySetFetched extends KeyChanges {
  readonly type: "fetched";
  readonly durationMs: number;
  /** Every key in force, as published: at most 32 IDs of at most 256 bytes. */
  readonly keyIds: readonly string[];
}

/** A fetch failed, or its answer could not be used. The keys stay as they were. */
interface KeySetFetchFailed {
  readonly type: "fetchFailed";
  readonly durationMs: number;
  /** Its message names the address and says what failed. */
  readonly error: Error;
}

/** A request with a key ID that is not known is held until a fetch tells more. */
interface KeyRequestHeld {
  readonly type: "requestHeld";
  readonly unverifiedKeyId: string;
  readonly waiting: number;
}

/** A held request got its key. */
interface KeyRequestFound {
  readonly type: "requestFound";
  readonly unverifiedKeyId: string;
  readonly waitedMs: number;
  readonly waiting: number;
}

/** A request got no key; `waitedMs` is 0 when it was not held. */
interface KeyRequestRefused {
  readonly type: "requestRefused";
  readonly unverifiedKeyId: string;
  readonly why: KeyRefusalCause;
  readonly waitedMs: number;
  readonly waiting: number;
}

/**
 * - `unknown`: a fetch that began after the request came did not have the key (KEY_UNKNOWN)
 *
 * and, all of them KEY_SET_UNAVAILABLE:
 * - `fetchFailed`: that fetch failed
 * - `tooLate`: the next fetch may not begin soon enough to wait for it
 * - `notInTime`: the fetch did not end while the request could be held
 * - `queueFull`: too many requests are held already
 */
export type KeyRefusalCause = "unknown" | "fetchFailed" | "tooLate" | "notInTime" | "queueFull";

export type KeySetListener = (event: KeySetEvent) => void;
