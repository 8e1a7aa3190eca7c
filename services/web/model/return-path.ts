/** Where the browser goes after the sign-in: only to this server, never to another site. */

/** The path is in a cookie while someone signs in, and cookies must stay small. */
const returnBytesMax = 1024;

/** What {@link readReturnPath} accepts, in words. */
export const returnNeed =
  "a path of this site such as /?bucket=photos, of printable ASCII characters, " +
  `of at most ${returnBytesMax} bytes`;

/**
 * The path to return to; undefined if the text is no path of this site. `//host` and `/\host` lead
 * to another host, and browsers remove tabs and line breaks before they look.
 */
export function readReturnPath(text: string, origin: string): string | undefined {
  if (text.length > returnBytesMax || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return undefined;
  const url = URL.parse(text, origin);
  // The path must also be local once `.` and `..` are resolved: `/.//host` is not.
  if (url === null || url.origin !== origin || /^\/[/\\]/.test(url.pathname)) return undefined;
  return url.pathname + url.search + url.hash;
}
