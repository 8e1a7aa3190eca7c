/** Chooses the scopes and the audience of a token from what the request asks for. */
import { errors } from "../overrides/library.ts";

/**
 * The scopes of a token, each once.
 *
 * @param requested the parameter `scope`, its syntax checked; undefined: all allowed scopes
 * @param always a scope that the token has in any case
 * @throws errors.InvalidScope for a scope that the client is not allowed (RFC 6749 section 5.2)
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

/** What a token can be for. */
export interface Resources {
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
  /** The issuer. A token can be for it in addition to a resource server. */
  issuer: string;
}

/**
 * The resource server that a token is for.
 *
 * @param resource the parameter `resource` (RFC 8707), as sent
 * @throws errors.InvalidTarget for an unknown resource, for several, and for the issuer alone
 */
export function chooseAudience(
  resource: string | string[] | undefined,
  { audiences, issuer }: Resources,
): string {
  const asked = [resource ?? audiences[0] ?? []].flat();
  const [audience, ...others] = [...new Set(asked)].filter((each) => each !== issuer);
  if (audience === undefined || others.length > 0) {
    throw new errors.InvalidTarget("a token is for one resource server");
  }
  if (!audiences.includes(audience)) {
    throw new errors.InvalidTarget("the resource is not known to this authorisation server");
  }
  return audience;
}

/** Whether the request names the issuer. Only then the token names it too. */
export function isForIssuer(resource: unknown, issuer: string): boolean {
  return [resource].flat().includes(issuer);
}

/**
 * Like {@link isForIssuer}, for a refresh or an exchange: without `resource`, the audience of the
 * earlier grant applies.
 *
 * @param resource the parameter of the request; undefined: everything that was granted
 * @throws errors.InvalidTarget when the request names the issuer, and the grant does not
 */
export function isStillForIssuer(resource: unknown, granted: unknown, issuer: string): boolean {
  if (!isForIssuer(resource ?? granted, issuer)) return false;
  if (isForIssuer(granted, issuer)) return true;
  throw new errors.InvalidTarget("the issuer was not among the resources that were granted");
}
