/**
 * The client credentials grant (RFC 6749 section 4.4): a client acts for itself, as the service
 * account with its identifier. oidc-provider has authenticated the client.
 */
import type { TokenEndpointGrantContext } from "oidc-provider";
import { readDetails } from "../authorization-details/read-details.ts";
import { serviceAccountScope } from "../model/scopes.ts";
import { serviceAccountUrn } from "../model/subjects.ts";
import { type GrantOptions, issueToken } from "./issue-token.ts";
import { registeredClient } from "./registered-client.ts";
import { chooseAudience, chooseScopes, isForIssuer } from "./scopes-and-audience.ts";

/** The parameters of the token endpoint that this grant reads. */
export const clientCredentialsParameters = ["scope", "resource", "authorization_details"];

const grantType = "client_credentials";

/** Makes the handler of the grant. */
export function clientCredentialsGrant(options: GrantOptions) {
  const resources = { audiences: options.audiences, issuer: options.provider.issuer };

  return async (ctx: TokenEndpointGrantContext): Promise<void> => {
    const { client, params } = ctx.oidc;
    const { clientId, applicationId, organisationId, scopes: allowed } = registeredClient(client);
    const newAuthorisation = {
      grantType,
      clientId,
      applicationId,
      organisationId,
      subject: serviceAccountUrn(clientId),
      audience: chooseAudience(params.resource, resources),
      scopes: chooseScopes(params.scope, allowed, serviceAccountScope),
      authorizationDetails: readDetails(params.authorization_details),
    };
    const isForIssuerToo = isForIssuer(params.resource, resources.issuer);
    await issueToken(ctx, newAuthorisation, options, { isForIssuerToo });
  };
}
