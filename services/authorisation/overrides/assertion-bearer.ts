/**
 * Override: a client for requests that show an assertion and name no client.
 *
 * RFC 7523 section 2.1 does not require `client_id`, but oidc-provider requires a client in every
 * token request.
 */
import type { IncomingMessage } from "node:http";
import { jwtBearerGrantType } from "../model/grant-types.ts";

/** The ID of the client that such requests get. It is no UUID, so no other client has it. */
export const bearerClientId = "assertion-bearer";

/** Returns the body of a token request, with `client_id` if the request needs it. */
export function addBearerClientId({ headers }: IncomingMessage, body: Buffer): Buffer {
  if (headers.authorization !== undefined || !body.includes("assertion")) return body;
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers["content-type"] ?? "")) return body;
  const form = new URLSearchParams(body.toString());
  const isNameless = form.get("grant_type") === jwtBearerGrantType && !form.has("client_id");
  return isNameless ? Buffer.from(`${body.toString()}&client_id=${bearerClientId}`) : body;
}
