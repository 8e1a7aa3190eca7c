import type { KeyObject } from "node:crypto";
import type { AccessToken } from "./access-token.ts";

/** A token whose signature and claims are right; whether it is in time and not revoked is open. */
export interface VerifiedToken {
  readonly token: AccessToken;
  readonly keyId: string;
  readonly key: KeyObject;
}
