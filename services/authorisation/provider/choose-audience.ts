/** Whom a token is for: the resource that was asked for (RFC 8707), or the default one. */
import { errors } from "./library.ts";

/**
 * Gives the audience of a token.
 *
 * @param resource the `resource` parameter, as sent.
 * @param audiences the resource servers there are; the first is the default.
 * @throws errors.InvalidTarget for a resource that is not among them, or for several.
 */
export function chooseAudience(
  resource: string | string[] | undefined,
  audiences: readonly string[],
): string {
  const wanted = resource ?? audiences[0];
  if (typeof wanted !== "string") {
    throw new errors.InvalidTarget("only one resource can be asked for at a time");
  }
  if (!audiences.includes(wanted)) {
    throw new errors.InvalidTarget("the resource is not known to this authorisation server");
  }
  return wanted;
}
