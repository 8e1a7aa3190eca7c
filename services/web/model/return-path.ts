/** Where the browser goes after the sign-in: only to this server, never to another site. */

/**
 * Length of what is accepted, in ASCII characters. The path is in a cookie while someone signs in:
 * encrypted, it must stay below the 4,096 bytes that browsers store.
 */
const returnCharactersMax = 2000;

/** What {@link readReturnPath} accepts, in words. */
export const returnNeed =
  "a path of this site such as /?bucket=photos, of printable ASCII characters";

/**
 * The path to return to; undefined if the text is not a path of this site. `//host` and `/\host`
 * lead to another host, and browsers remove tabs and line breaks before they look. A path that is
 * too long to be kept becomes `/`: people who sign in get the page, not an error.
 */
export function readReturnPath(text: string, origin: string): string | undefined {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return undefined;
  const url = URL.parse(text, origin);
  // The path must also be local once `.` and `..` are resolved: `/.//host` is not.
  if (url === null || url.origin !== origin || /^\/[/\\]/.test(url.pathname)) return undefined;
  // JSON writes a backslash as two. In a query or a fragment, %5C means the same.
  const path = `${url.pathname}${url.search}${url.hash}`.replaceAll("\\", "%5C");
  return path.length > returnCharactersMax ? "/" : path;
}
