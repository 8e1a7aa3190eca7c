/**
 * Override: a pushed request (RFC 9126) is stored as the JSON that it is.
 *
 * oidc-provider makes an unsigned token of it (RFC 7519 section 6), which is a third longer.
 */
import type { AdapterPayload } from "oidc-provider";

interface StoredRequest extends AdapterPayload {
  parameters?: object;
}

const unsignedHeader = Buffer.from('{"alg":"none"}').toString("base64url");

/** The payload to store. */
export function withoutToken(payload: AdapterPayload): StoredRequest {
  const { request, ...rest } = payload;
  const [header, body = "", signature] = request?.split(".") ?? [];
  if (header !== unsignedHeader || signature !== "") return payload;
  return { ...rest, parameters: JSON.parse(Buffer.from(body, "base64url").toString()) };
}

/** The payload as the library stored it. */
export function withToken({ parameters, ...rest }: StoredRequest): AdapterPayload {
  if (parameters === undefined) return rest;
  const body = Buffer.from(JSON.stringify(parameters)).toString("base64url");
  return { ...rest, request: `${unsignedHeader}.${body}.` };
}
