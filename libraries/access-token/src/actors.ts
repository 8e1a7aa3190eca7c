/** The `act` claim of token exchange (RFC 8693 section 4.1) as a list. */
import type { Actor } from "./access-token.ts";
import { claimInvalid, requiredText } from "./claim.ts";
import { actorsMax } from "./limits.ts";
import { isJsonObject, type JsonObject, member } from "./parse-json.ts";

/** Outermost first. Throws TokenRefusedError: CLAIM_INVALID. */
export function readActors(claims: JsonObject): readonly Actor[] {
  const actors: Actor[] = [];
  for (let holder = claims; Object.hasOwn(holder, "act"); ) {
    const act = member(holder, "act");
    if (!isJsonObject(act)) throw claimInvalid("act", act, "an object");
    if (actors.length === actorsMax) {
      throw claimInvalid("act", member(claims, "act"), `at most ${actorsMax} actors`);
    }
    actors.push(Object.freeze({ subject: requiredText(act, "sub") }));
    holder = act;
  }
  return Object.freeze(actors);
}
