/**
 * Replaces U+0000 in the parameters of requests. PostgreSQL stores no text with it, and fails on
 * JSON with it, even when others read that later: one such parameter could break a list for good.
 *
 * It becomes U+FFFD, as in HTML. A name or secret with that is as unknown as any other that was
 * never given out, so each route answers as usual.
 */

/** In a query, or in a form. */
export function replaceNul(encoded: string): string {
  return encoded.replaceAll(/%00|\0/g, "%EF%BF%BD");
}

/** In the body of a request: all bodies are forms. */
export function replaceNulInBody(body: Buffer): Buffer {
  if (!body.includes("%00") && !body.includes(0)) return body;
  return Buffer.from(replaceNul(body.toString("latin1")), "latin1");
}
