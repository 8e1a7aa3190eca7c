/**
 * Cookies of this server (RFC 6265). Browsers accept a name that begins with `__Host-` only over a
 * secure connection, for this host alone and the path `/`: no sibling domain can set it.
 */

const hostPrefix = "__Host-";

/** The name of a cookie of the page. WebKit refuses the prefix, and `Secure`, over http. */
export function cookieNameFor(origin: string, name: string): string {
  return origin.startsWith("https:") ? name : name.slice(hostPrefix.length);
}

/**
 * The cookies of a request in their order, with all values of a name that comes repeatedly.
 *
 * Only the spaces and tabs after a `;` are not part of a name. A browser lets any site of the host
 * set a name that begins with another space, such as U+00A0, followed by `__Host-`: that must
 * remain another name.
 */
export function readCookies(header: string | undefined): readonly (readonly [string, string])[] {
  return (header ?? "").split(/;[ \t]*/).flatMap((pair) => {
    const at = pair.indexOf("=");
    return at < 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)] as const];
  });
}

/** The value of `Set-Cookie` that stores a cookie for `maxAgeSeconds`. */
export function storeCookie(name: string, value: string, maxAgeSeconds: number): string {
  const secure = name.startsWith(hostPrefix) ? "; Secure" : "";
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}${secure}; HttpOnly; SameSite=Lax`;
}

/** The value of `Set-Cookie` that removes a cookie. */
export function removeCookie(name: string): string {
  return storeCookie(name, "", 0);
}
