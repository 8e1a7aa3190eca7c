import type { AccessToken } from "./access-token.ts";
import { quote, TokenRefusedError } from "./token-refused-error.ts";

/**
 * Throws TokenRefusedError SCOPE_MISSING unless the token has the scope. Throws a TypeError for a
 * text that cannot be one scope (RFC 6749 section 3.3), such as an empty one.
 */
export function requireScope(token: AccessToken, scope: string): void {
  checkScope(scope);
  if (token.scopes.has(scope)) return;
  const granted = [...token.scopes].join(" ");
  const detail = `scope is ${quote(granted)}, need ${quote(scope)}`;
  throw new TokenRefusedError("SCOPE_MISSING", detail, { requiredScope: scope });
}

export function checkScope(scope: string): void {
  if (typeof scope === "string" && scopeToken.test(scope)) return;
  throw new TypeError(`Cannot require scope ${quote(scope)}: need one scope without spaces`);
}

/** RFC 6749 section 3.3: printable ASCII without space, quotation mark and backslash. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
