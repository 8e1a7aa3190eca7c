/**
 * The client credentials grant (RFC 6749 section 4.4): a client acts for itself, as the service
 * account that has its identifier.
 *
 * The client is authenticated before this is called.
 */
import type Provider from "oidc-provider";
import type { TokenEndpointGrantContext } from "oidc-provider";
import { signingAlgorithm } from "../signing/signing-key.ts";
import type { Authorisation, Grant } from "../store/record-authorisation.ts";
import { accessTokenLifetimeSeconds, attachAuthorisation } from "./access-token-form.ts";
import { chooseAudience } from "./choose-audience.ts";
import { chooseScopes } from "./choose-scopes.ts";
import { registeredClient } from "./registered-client.ts";

/** The parameters of the token endpoint that this grant reads. */
export const clientCredentialsParameters = ["scope", "resource"];

const grantType = "client_credentials";

/** Present in every token of a service account, so that a resource server can tell. */
const serviceAccountScope = "service_account";

/** Makes the handler of the grant. */
export function clientCredentialsGrant(options: {
  provider: Provider;
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
  recordAuthorisation: (grant: Grant) => Promise<Authorisation>;
}) {
  const { provider, audiences, recordAuthorisation } = options;

  return async (ctx: TokenEndpointGrantContext): Promise<void> => {
    const { client, params } = ctx.oidc;
    const { clientId, applicationId, organisationId, scopes: allowed } = registeredClient(client);
    const audience = chooseAudience(params.resource, audiences);
    const scopes = chooseScopes(params.scope, allowed, serviceAccountScope);

    const authorisation = await recordAuthorisation({
      grantType,
      clientId,
      applicationId,
      organisationId,
      subject: `urn:svc:serviceaccount:${clientId}`,
      audience,
      scopes,
    });
    attachAuthorisation(ctx, authorisation);

    const scope = scopes.join(" ");
    const accessToken = await new provider.ClientCredentials({
      client,
      scope,
      resourceServer: new provider.ResourceServer(audience, {
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
  };
}
