/** Requests to exchange a token (RFC 8693). */
import { postForm } from "./token-request.ts";

/** The grant type. */
export const exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange";

/** The type of an access token. */
export const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";

/** The answer. */
interface ExchangeAnswer {
  status: number;
  error?: string;
  error_description?: string;
  access_token: string;
  issued_token_type: string;
  token_type: string;
  expires_in: number;
  scope: string;
  authorization_details?: object[];
}

/** Exchanges a token as the client of the header. `form` overrides parameters. */
export async function exchange(
  authUrl: string,
  client: { authorization: string },
  subjectToken: string,
  form: Record<string, string> | string[][] = {},
): Promise<ExchangeAnswer> {
  const usual = {
    grant_type: exchangeGrant,
    subject_token: subjectToken,
    subject_token_type: accessTokenType,
  };
  const given = Array.isArray(form) ? form : Object.entries(form);
  const names = new Set(given.map(([name]) => name));
  const all = [...Object.entries(usual).filter(([name]) => !names.has(name)), ...given];
  const response = await postForm(
    authUrl,
    all.filter(([, value]) => value !== ""),
    { authorization: client.authorization },
  );
  return {
    status: response.status,
    ...((await response.json()) as Omit<ExchangeAnswer, "status">),
  };
}
