/** The `authorization_details` claim (RFC 9396 section 9.1). */
import type { AuthorizationDetail } from "./access-token.ts";
import { claimInvalid, requiredText } from "./claim.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "./parse-json.ts";

/** Throws TokenRefusedError: CLAIM_INVALID. */
export function readAuthorizationDetails(
  claims: JsonObject,
): readonly AuthorizationDetail[] | undefined {
  if (!Object.hasOwn(claims, "authorization_details")) return undefined;
  const details = member(claims, "authorization_details");
  if (!Array.isArray(details)) throw claimInvalid("authorization_details", details, "an array");
  for (const detail of details) {
    if (!isJsonObject(detail)) throw claimInvalid("authorization_details", details, "objects");
    requiredText(detail, "type");
  }
  freezeDeep(details);
  return details;
}

// As deep as parsed JSON may be.
function freezeDeep(value: JsonValue): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) freezeDeep(inner);
  Object.freeze(value);
}
