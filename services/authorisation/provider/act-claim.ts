/** The claim `act` (RFC 8693 section 4.1). */
import type { Actor } from "@stowage/access-token";

/** An actor, and in it the one before. */
export interface ActClaim {
  sub: string;
  act?: ActClaim;
}

/** The claim for a chain of actors, the outermost first; undefined for none. */
export function actClaimOf(actors: readonly Actor[]): ActClaim | undefined {
  return actors.reduceRight<ActClaim | undefined>(
    (act, { subject }) => ({ sub: subject, ...(act && { act }) }),
    undefined,
  );
}
