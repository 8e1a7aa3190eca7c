/** How the grants for machines end: the grant is put on record, and its token handed out. */
import type Provider from "oidc-provider";
import type { TokenEndpointGrantContext } from "oidc-provider";
import { signingAlgorithm } from "../signing/signing-key.ts";
import type { Authorisation, Grant } from "../store/record-authorisation.ts";
import { accessTokenLifetimeSeconds, attachAuthorisation } from "./access-token-form.ts";

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
): Promise<void> {
  attachAuthorisation(ctx, await recordAuthorisation({ ...grant, address: ctx.ip }));

  const scope = grant.scopes.join(" ");
  const accessToken = await new provider.ClientCredentials({
    client: ctx.oidc.client,
    scope,
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
    expires_in: accessTokenLifetimeSeconds,
    scope,
  };
}
