/** The addresses that a client may register. */

/** The database stores as many characters. */
const charactersMax = 2048;

const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];

/** What {@link isRedirectUri} accepts, in words. */
export const redirectUriNeed =
  "an https address, an http one of this machine, or one with a scheme such as " +
  `com.example.app, without fragment, of at most ${charactersMax} characters`;

/** Whether people may be redirected to this address. Requests must name exactly the same text. */
export function isRedirectUri(text: string): boolean {
  const url = text.length <= charactersMax ? URL.parse(text) : null;
  if (url === null || /[#\s\p{Cc}]/u.test(text) || url.username !== "") return false;
  if (url.protocol === "https:") return true;
  if (url.protocol === "http:") return loopbackHosts.includes(url.hostname);
  // A reversed domain name: two applications seldom choose the same one.
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol);
}

/** Whether an address has a scheme of an application's own (RFC 8252 section 7.1). */
export function isPrivateUse(uri: string): boolean {
  return !/^https?:/i.test(uri);
}

/** What {@link isLogoutUri} accepts, in words. */
export const logoutUriNeed =
  "an https address, or an http address of this machine, without a fragment, user or password, " +
  `of at most ${charactersMax} characters`;

/**
 * Whether the service may send logout tokens to this address (Back-Channel Logout 1.0 section
 * 2.2). No logout token crosses a network unencrypted.
 */
export function isLogoutUri(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text.length > charactersMax || text.includes("#")) return false;
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** The URL parser normalises addresses: 127.1 and 0x7f000001 become 127.0.0.1. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
