/** How often one client may ask for tokens. */
import type { TokenEndpointGrantContext } from "oidc-provider";
import type { RequestRate } from "../server/request-rate.ts";
import { BusyError } from "./busy-error.ts";

/** What handles a grant. */
export type GrantHandler = (ctx: TokenEndpointGrantContext) => Promise<void>;

/**
 * Lets a grant be asked for only so often by one client. It counts what comes from the client
 * itself, authenticated: otherwise anybody could use up the requests of another.
 */
export function limitByClient(rate: RequestRate, handler: GrantHandler): GrantHandler {
  return async (ctx) => {
    await takeTurn(rate, ctx.oidc.client.clientId);
    await handler(ctx);
  };
}

/** Counts a request of a client. Rejects with a BusyError when it asks too often. */
export async function takeTurn(rate: RequestRate, clientId: string): Promise<void> {
  const waitSeconds = await rate.take(clientId);
  if (waitSeconds > 0) {
    throw new BusyError(429, "the client asks too often", waitSeconds);
  }
}
