/**
 * The client credentials grant (RFC 6749 section 4.4): a client acts for itself, as the service
 * account that has its identifier.
 *
 * The client is authenticated before this is called.
 */
import type { TokenEndpointGrantContext } from "oidc-provider";
import { chooseAudience } from "./choose-audience.ts";
import { chooseScopes } from "./choose-scopes.ts";
import { type IssueOptions, issueToken } from "./issue-token.ts";
import { registeredClient } from "./registered-client.ts";

/** The parameters of the token endpoint that this grant reads. */
export const clientCredentialsParameters = ["scope", "resource"];

const grantType = "client_credentials";

/** What the grants for machines need. */
export interface GrantOptions extends IssueOptions {
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
}

/** Present in every token of a service account, so that a resource server can tell. */
const serviceAccountScope = "service_account";

/** Makes the handler of the grant. */
export function clientCredentialsGrant(options: GrantOptions) {
  const { audiences } = options;

  return async (ctx: TokenEndpointGrantContext): Promise<void> => {
    const { client, params } = ctx.oidc;
    const { clientId, applicationId, organisationId, scopes: allowed } = registeredClient(client);
    const audience = chooseAudience(params.resource, audiences);
    const scopes = chooseScopes(params.scope, allowed, serviceAccountScope);

    const grant = { grantType, clientId, applicationId, organisationId, audience, scopes };
    const subject = `urn:svc:serviceaccount:${clientId}`;
    await issueToken(ctx, { ...grant, subject }, options);
  };
}
