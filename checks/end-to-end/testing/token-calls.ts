/** Requests tokens and uses them. */
import assert from "node:assert/strict";
import { callHeaders } from "../../testing/call-headers.ts";
import { organisationId, type RunningServices } from "./running-services.ts";

export interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface IssuedToken {
  readonly text: string;
  readonly keyId: string;
}

/** Adds a client that may request tokens for itself. */
export async function addClient({ run }: RunningServices): Promise<Client> {
  return JSON.parse(await run("clients", "add", "--organisation", organisationId, "--json"));
}

/** Requests a token for the client itself. Fails on an error answer. */
export async function requestToken(
  authUrl: string,
  { clientId, clientSecret }: Client,
): Promise<IssuedToken> {
  const response = await fetchAnyway(`${authUrl}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  const body = await response.text();
  assert.equal(response.status, 200, body);
  const { access_token: text } = JSON.parse(body) as { access_token: string };
  const [header = ""] = text.split(".");
  return { text, keyId: JSON.parse(Buffer.from(header, "base64url").toString()).kid };
}

/** Calls ListUploads of an uploads server. */
export async function callList(uploadsUrl: string, token: string): Promise<Response> {
  const response = await fetchAnyway(`${uploadsUrl}/svc.api.v1.BucketUploadsService/ListUploads`, {
    method: "POST",
    headers: callHeaders(token),
    body: "{}",
  });
  await response.arrayBuffer();
  return response;
}

const closedCodes = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];
/** Several idle connections may be closed at the same time. */
const attemptsMax = 10;

/**
 * Fetches. A server may close an idle connection just when it is used again. Then the request is
 * sent again on another connection, as HTTP clients do (RFC 9112 section 9.3.1).
 */
async function fetchAnyway(url: string, request: RequestInit): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetch(url, request);
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      if (!closedCodes.includes(cause?.code ?? "") || attempt === attemptsMax) throw error;
    }
  }
}
