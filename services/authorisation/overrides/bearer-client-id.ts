/**
 * Who shows an assertion need not say who it is (RFC 7523 section 2.1), but oidc-provider wants a
 * client in every request for a token: such a request is given one.
 */
import type { IncomingMessage } from "node:http";
import { jwtBearerGrantType } from "../grants/registered-client.ts";

/** The client that stands for whoever shows an assertion. No client's ID, which is a UUID. */
export const bearerClientId = "assertion-bearer";

/** Gives the body of a request for a token, with `client_id` where it may be, and is, left out. */
export function nameBearer({ headers }: IncomingMessage, body: Buffer): Buffer {
  if (headers.authorization !== undefined || !body.includes("assertion")) return body;
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers["content-type"] ?? "")) return body;
  const form = new URLSearchParams(body.toString());
  const isNameless = form.get("grant_type") === jwtBearerGrantType && !form.has("client_id");
  return isNameless ? Buffer.from(`${body.toString()}&client_id=${bearerClientId}`) : body;
}
