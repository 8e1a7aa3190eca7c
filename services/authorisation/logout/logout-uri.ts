/** Where clients may want to be told: where no logout token passes a network in the clear. */

/** As many characters as the database keeps. */
const charactersMax = 2048;

/** What {@link isLogoutUri} accepts, in words. */
export const logoutUriNeed =
  "an https address, or an http address of this machine, without a fragment, user or password, " +
  `of at most ${charactersMax} characters`;

/** Whether a client may be told at this address (Back-Channel Logout 1.0 section 2.2). */
export function isLogoutUri(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text.length > charactersMax || text.includes("#")) return false;
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** URLs have their addresses in one form only: 127.1 and 0x7f000001 are 127.0.0.1 there. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
