/** The last step of the grants that involve no person: records the token, and issues it. */
import type Provider from "oidc-provider";
import type { TokenEndpointGrantContext } from "oidc-provider";
import type { Lifetimes } from "../model/lifetimes.ts";
import { signingAlgorithm } from "../model/signing-key.ts";
import type { NewAuthorisation, RecordAuthorisation } from "../store/authorisations.ts";
import { attachAuthorisation, type ExtraClaims } from "./access-token-claims.ts";

/** What every grant without a person needs. */
export interface GrantOptions {
  provider: Provider;
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
  recordAuthorisation: RecordAuthorisation;
  lifetimes: Lifetimes;
}

/** Records an authorisation, and answers with its token. */
export async function issueToken(
  ctx: TokenEndpointGrantContext,
  newAuthorisation: Omit<NewAuthorisation, "address">,
  { provider, recordAuthorisation, lifetimes }: GrantOptions,
  extraClaims: ExtraClaims = {},
): Promise<void> {
  const authorisation = await recordAuthorisation({ ...newAuthorisation, address: ctx.ip });
  attachAuthorisation(ctx, authorisation, extraClaims);

  const { scopes, audience, authorizationDetails } = newAuthorisation;
  const scope = scopes.join(" ");
  const expiresIn = lifetimeSecondsOf(extraClaims, lifetimes);
  const accessToken = await new provider.ClientCredentials({
    client: ctx.oidc.client,
    scope,
    expiresIn,
    resourceServer: new provider.ResourceServer(audience, {
      scope,
      accessTokenFormat: "jwt",
      jwt: { sign: { alg: signingAlgorithm } },
    }),
  }).save();

  ctx.set("Pragma", "no-cache"); // RFC 6749 section 5.1; Cache-Control is already set.
  ctx.body = {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: expiresIn,
    scope,
    // RFC 9396 section 7.
    ...(authorizationDetails && { authorization_details: authorizationDetails }),
  };
}

function lifetimeSecondsOf(
  { expiresAtMax = Number.POSITIVE_INFINITY }: ExtraClaims,
  { accessToken }: Lifetimes,
): number {
  const leftSeconds = expiresAtMax - Math.floor(Date.now() / 1000);
  // In its last second, a subject token can still be exchanged. The new token expires at once.
  return Math.max(1, Math.min(accessToken, leftSeconds));
}
