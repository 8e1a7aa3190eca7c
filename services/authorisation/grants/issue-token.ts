/** How the grants for machines end: the grant is put on record, and its token handed out. */
import type Provider from "oidc-provider";
import type { TokenEndpointGrantContext } from "oidc-provider";
import { accessTokenLifetimeSeconds } from "../model/lifetimes.ts";
import { signingAlgorithm } from "../model/signing-key.ts";
import type { Authorisation, Grant } from "../store/authorisations.ts";
import { attachAuthorisation, type TokenHistory } from "./access-token-form.ts";
import { isForIssuer } from "./choose-audience.ts";

/** What issuing takes. */
export interface IssueOptions {
  provider: Provider;
  recordAuthorisation: (grant: Grant) => Promise<Authorisation>;
}

/** Answers with a token for what is granted. */
export async function issueToken(
  ctx: TokenEndpointGrantContext,
  grant: Omit<Grant, "address">,
  { provider, recordAuthorisation }: IssueOptions,
  history: TokenHistory = {},
): Promise<void> {
  const toIssuerToo = isForIssuer(ctx.oidc.params.resource, provider.issuer);
  const authorisation = await recordAuthorisation({ ...grant, address: ctx.ip });
  attachAuthorisation(ctx, authorisation, { toIssuerToo, ...history });

  const scope = grant.scopes.join(" ");
  const expiresIn = lifetimeSecondsOf(history);
  const accessToken = await new provider.ClientCredentials({
    client: ctx.oidc.client,
    scope,
    expiresIn,
    resourceServer: new provider.ResourceServer(grant.audience, {
      scope,
      accessTokenFormat: "jwt",
      jwt: { sign: { alg: signingAlgorithm } },
    }),
  }).save();

  ctx.set("Pragma", "no-cache"); // RFC 6749 section 5.1; Cache-Control is set already.
  ctx.body = {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: expiresIn,
    scope,
    // RFC 9396 section 7.
    ...(grant.authorizationDetails && { authorization_details: grant.authorizationDetails }),
  };
}

function lifetimeSecondsOf({ expiresAtMax = Number.POSITIVE_INFINITY }: TokenHistory): number {
  const leftSeconds = expiresAtMax - Math.floor(Date.now() / 1000);
  // At the very moment of expiry a token is still made, which is good for nothing.
  return Math.max(1, Math.min(accessTokenLifetimeSeconds, leftSeconds));
}
