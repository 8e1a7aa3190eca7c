import type { AccessToken } from "../access-token.ts";
import type { DenylistEntry } from "./entry.ts";

/** The tokens that are refused although all else about them is right: the revoked ones. */
export interface Denylist {
  /**
   * Called for every request, so it answers from memory and at once. What it gives, such as a
   * promise, is taken for a failure.
   *
   * Throws TokenRefusedError: TOKEN_REVOKED; DENYLIST_UNAVAILABLE when it is not known whether the
   * token is revoked.
   *
   * @param keyId the `kid` of the key that the token is signed with
   */
  check(token: AccessToken, keyId: string): void;
  /**
   * Revokes tokens. When it resolves, the entry is stored and in force in this process. Rejects
   * with a TypeError for an entry that is not one.
   */
  add(entry: DenylistEntry): Promise<void>;
}
