/** Requests to the token endpoint. */
import { testClient } from "./test-service.ts";

/** An HTTP Basic header (RFC 6749 section 2.3.1; our credentials need no encoding). */
export function basic(clientId: string, clientSecret: string): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
}

/** Posts a form to the token endpoint, by default as the test's client. */
export async function postForm(
  authUrl: string,
  form: Record<string, string> | string[][],
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(`${authUrl}/token`, {
    method: "POST",
    headers: { authorization: basic(testClient.clientId, testClient.clientSecret), ...headers },
    body: new URLSearchParams(form),
  });
}

/** Requests a token. Fails if the request is refused. */
export async function requestToken(
  authUrl: string,
  form: Record<string, string> = {},
): Promise<string> {
  const response = await postForm(authUrl, { grant_type: "client_credentials", ...form });
  const body = (await response.json()) as { access_token?: string };
  if (body.access_token === undefined) throw new Error(`No token: ${JSON.stringify(body)}`);
  return body.access_token;
}
