/** Records the outcome of each request to the provider: the client, the grant and the error. */
import type { Counter } from "@prometheus-io/client";
import type { KoaContextWithOIDC } from "oidc-provider";
import { addToRecord } from "../http/request-record.ts";
import { deviceCodeGrantType, tokenExchangeGrantType } from "../model/grant-types.ts";

/** Short names of the kinds of grants. Callers may send others, which have no name. */
const grantNames = new Map([
  ["authorization_code", "authorization_code"],
  ["client_credentials", "client_credentials"],
  [deviceCodeGrantType, "device_code"],
  ["refresh_token", "refresh_token"],
  [tokenExchangeGrantType, "token_exchange"],
]);

/** Middleware outside of all that changes the answer: it sees the answer as it is sent. */
export function recordOutcomes(grants: Counter<"grant" | "result">) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    const { oidc } = ctx;
    const error = errorOf(ctx.body);
    const grant = oidc?.route === "token" ? grantOf(oidc.params?.grant_type) : undefined;
    if (grant !== undefined) grants.inc({ grant, result: error ?? "issued" });
    addToRecord(ctx.res, {
      clientId: oidc?.client?.clientId,
      subject: oidc?.account?.accountId ?? oidc?.session?.accountId,
      grant,
      error,
    });
  };
}

function grantOf(grantType: unknown): string {
  return grantNames.get(String(grantType)) ?? "other";
}

/** The codes are ours and the library's: callers cannot add any. */
function errorOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("error" in body)) return undefined;
  return String(body.error);
}
