/** Reads what a form of ours has sent. */
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

/** Gives the fields; undefined when a page of another origin, or no form, has sent them. */
export async function readForm(
  request: IncomingMessage,
  ownOrigin: string,
): Promise<URLSearchParams | undefined> {
  const { origin, "sec-fetch-site": site, "content-type": type } = request.headers;
  const isOwn = (origin ?? ownOrigin) === ownOrigin && (site ?? "same-origin") === "same-origin";
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? "");
  return isOwn && isForm ? new URLSearchParams(await text(request)) : undefined;
}
