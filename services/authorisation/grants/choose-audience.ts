/** Whom a token is for: the resource that was asked for (RFC 8707), or the default one. */
import { errors } from "../overrides/library.ts";

/** Who can be asked for. */
export interface Resources {
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
  /** The issuer, which a token can be for as well, beside a resource server. */
  issuer: string;
}

/**
 * Gives the resource server that a token is for.
 *
 * @param resource the `resource` parameter, as sent.
 * @throws errors.InvalidTarget for a resource that there is not, for several, and for the issuer
 *   alone.
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

/** Whether the issuer is asked for too: only then a token names it. */
export function isForIssuer(resource: unknown, issuer: string): boolean {
  return [resource].flat().includes(issuer);
}

/**
 * The same where a person has allowed it before.
 *
 * @param resource what is asked for now; undefined: what was allowed.
 * @param granted what was allowed.
 * @throws errors.InvalidTarget when the issuer is asked for, and was not allowed.
 */
export function isStillForIssuer(resource: unknown, granted: unknown, issuer: string): boolean {
  if (!isForIssuer(resource ?? granted, issuer)) return false;
  if (isForIssuer(granted, issuer)) return true;
  throw new errors.InvalidTarget("the issuer was not among the resources that were granted");
}
