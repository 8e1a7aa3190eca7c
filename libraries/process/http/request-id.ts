import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Long enough for the usual IDs, and too short for a token. */
const form = /^[0-9A-Za-z_-]{1,64}$/;

export const requestIdHeader = "x-request-id";

/** The ID of a request: the caller's or its proxy's, else a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers[requestIdHeader];
  return typeof given === "string" && form.test(given) ? given : randomUUID();
}
