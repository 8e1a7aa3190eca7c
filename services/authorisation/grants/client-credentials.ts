/**
 * The client credentials grant (RFC 6749 section 4.4): a client acts for itself, as the service
 * account that has its identifier.
 *
 * The client is authenticated before this is called.
 */
import type { TokenEndpointGrantContext } from "oidc-provider";
import { readDetails } from "../authorization-details/read-details.ts";
import { chooseScopes, serviceAccountScope } from "../model/scopes.ts";
import { serviceAccountUrn } from "../model/subjects.ts";
import { chooseAudience } from "./choose-audience.ts";
import { type IssueOptions, issueToken } from "./issue-token.ts";
import { registeredClient } from "./registered-client.ts";

/** The parameters of the token endpoint that this grant reads. */
export const clientCredentialsParameters = ["scope", "resource", "authorization_details"];

const grantType = "client_credentials";

/** What the grants for machines need. */
export interface GrantOptions extends IssueOptions {
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
}

/** Makes the handler of the grant. */
export function clientCredentialsGrant(options: GrantOptions) {
  const resources = { audiences: options.audiences, issuer: options.provider.issuer };

  return async (ctx: TokenEndpointGrantContext): Promise<void> => {
    const { client, params } = ctx.oidc;
    const { clientId, applicationId, organisationId, scopes: allowed } = registeredClient(client);
    const audience = chooseAudience(params.resource, resources);
    const scopes = chooseScopes(params.scope, allowed, serviceAccountScope);

    const authorizationDetails = readDetails(params.authorization_details);

    const grant = { grantType, clientId, applicationId, organisationId, audience, scopes };
    const subject = serviceAccountUrn(clientId);
    await issueToken(ctx, { ...grant, subject, authorizationDetails }, options);
  };
}
