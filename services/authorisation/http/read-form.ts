/** Reads the forms of our own pages. */
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

/** A page of another origin has sent the form, or it is no form. */
export class ForeignFormError extends Error {
  override readonly name = "ForeignFormError";
}

/**
 * Returns the fields of a form.
 *
 * @throws {ForeignFormError}
 */
export async function readForm(
  request: IncomingMessage,
  ownOrigin: string,
): Promise<URLSearchParams> {
  const { origin, "sec-fetch-site": site, "content-type": type } = request.headers;
  const isOwn = (origin ?? ownOrigin) === ownOrigin && (site ?? "same-origin") === "same-origin";
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? "");
  if (!isOwn || !isForm) throw new ForeignFormError("the form comes from elsewhere");
  return new URLSearchParams(await text(request));
}
