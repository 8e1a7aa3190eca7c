/** Which scopes a client is granted: those it asks for, never more than it is allowed. */
import { errors } from "./library.ts";

/**
 * Gives the scopes of a token, each once, with `always` among them where it is given.
 *
 * @param requested the `scope` parameter, as sent, its syntax checked; none: all that is allowed.
 * @throws errors.InvalidScope for a scope that the client is not allowed (RFC 6749 section 5.2).
 */
export function chooseScopes(
  requested: string | undefined,
  allowed: readonly string[],
  always?: string,
): string[] {
  const granted = new Set(requested?.split(" ") ?? allowed);
  if (always !== undefined) granted.add(always);
  for (const scope of granted) {
    if (scope !== always && !allowed.includes(scope)) {
      throw new errors.InvalidScope("the client is not allowed a requested scope", scope);
    }
  }
  return [...granted];
}
