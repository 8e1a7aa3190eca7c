/** The grants that oidc-provider does not have, or not as we need them. */
import type Provider from "oidc-provider";
import type { TokenEndpointGrantContext } from "oidc-provider";
import type pg from "pg";
import {
  clientCredentialsGrant,
  clientCredentialsParameters,
} from "../grants/client-credentials.ts";
import { repeatedParameters, tokenExchangeParameters } from "../grants/exchange-request.ts";
import type { ReadOwnToken } from "../grants/own-tokens.ts";
import { type ReadIdToken, tokenExchangeGrant } from "../grants/token-exchange.ts";
import { countRequest, type RateLimiter } from "../limits/rate-limiter.ts";
import { tokenExchangeGrantType } from "../model/grant-types.ts";
import type { Lifetimes } from "../model/lifetimes.ts";
import { findGrantOf, type RecordAuthorisation } from "../store/authorisations.ts";

/** What the grants need. */
interface GrantOptions {
  /** The issuer. */
  authUrl: string;
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
  lifetimes: Lifetimes;
  /** How often one client may ask for tokens. */
  clientRate: RateLimiter;
  recordAuthorisation: RecordAuthorisation;
  readIdToken: ReadIdToken;
  pool: pg.Pool;
}

type GrantHandler = (ctx: TokenEndpointGrantContext) => Promise<void>;

/** Registers the grants. */
export function registerGrants(
  provider: Provider,
  options: GrantOptions,
  readOwnToken: ReadOwnToken,
): void {
  const { clientRate, pool } = options;
  const grantOptions = {
    ...options,
    provider,
    readOwnToken,
    findGrantOf: (authorisationId: string) => findGrantOf(pool, authorisationId),
  };
  // Counts requests of authenticated clients only: others could use up the requests of a client.
  const limited = (handler: GrantHandler): GrantHandler => {
    return async (ctx) => {
      await countRequest(clientRate, ctx.oidc.client.clientId);
      await handler(ctx);
    };
  };
  provider.registerGrantType(
    "client_credentials",
    limited(clientCredentialsGrant(grantOptions)),
    clientCredentialsParameters,
    "resource",
  );
  provider.registerGrantType(
    tokenExchangeGrantType,
    limited(tokenExchangeGrant(grantOptions)),
    tokenExchangeParameters,
    repeatedParameters,
  );
}
