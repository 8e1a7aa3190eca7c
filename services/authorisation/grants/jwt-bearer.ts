/**
 * The JWT bearer grant (RFC 7523 section 2.1): a service account shows an assertion, and gets a
 * token. There is no client besides, so the account stands in the token as the client, too.
 */
import type { AdapterPayload, TokenEndpointGrantContext } from "oidc-provider";
import { bucketDetailType } from "../authorization-details/bucket-detail.ts";
import { readDetails } from "../authorization-details/read-details.ts";
import { type RequestRate, takeTurn } from "../limits/request-rate.ts";
import { chooseScopes, serviceAccountScope } from "../model/scopes.ts";
import { serviceAccountUrn } from "../model/subjects.ts";
import { bearerClientId } from "../overrides/bearer-client-id.ts";
import { errors } from "../overrides/library.ts";
import type { StoredServiceAccount } from "../store/service-accounts.ts";
import { type AcceptAssertion, AssertionRefusedError } from "./accept-assertion.ts";
import { chooseAudience } from "./choose-audience.ts";
import type { GrantOptions } from "./client-credentials.ts";
import { issueToken } from "./issue-token.ts";
import { jwtBearerGrantType } from "./registered-client.ts";

/** The parameters of the token endpoint that this grant reads. */
export const jwtBearerParameters = ["assertion", "scope", "resource", "authorization_details"];

/** What this grant needs. */
export interface JwtBearerOptions extends GrantOptions {
  acceptAssertion: AcceptAssertion;
  /** How often one account may ask for tokens. */
  clientRate: RequestRate;
}

/** Makes the handler of the grant. */
export function jwtBearerGrant(options: JwtBearerOptions) {
  return async (ctx: TokenEndpointGrantContext): Promise<void> => {
    const { client, params } = ctx.oidc;
    const account = await readAssertion(params.assertion, client.clientId, options);
    const { serviceAccountId, applicationId, organisationId } = account;
    await takeTurn(options.clientRate, serviceAccountId);

    const grant = {
      grantType: jwtBearerGrantType,
      clientId: serviceAccountId,
      applicationId,
      organisationId,
      subject: serviceAccountUrn(serviceAccountId),
      audience: chooseAudience(params.resource, {
        audiences: options.audiences,
        issuer: options.provider.issuer,
      }),
      scopes: chooseScopes(params.scope, account.scopes, serviceAccountScope),
      authorizationDetails: readDetails(params.authorization_details),
    };
    await issueToken(ctx, grant, options);
  };
}

/** @throws errors.InvalidGrant, always with the same words; the log says more. */
async function readAssertion(
  assertion: unknown,
  clientId: string,
  { acceptAssertion }: JwtBearerOptions,
): Promise<StoredServiceAccount> {
  if (typeof assertion !== "string") {
    throw new errors.InvalidRequest("missing required parameter: assertion");
  }
  try {
    const account = await acceptAssertion(assertion);
    if (clientId === bearerClientId || clientId === account.serviceAccountId) return account;
    throw new AssertionRefusedError("client_id names another account");
  } catch (error) {
    if (error instanceof AssertionRefusedError) throw new errors.InvalidGrant(error.message);
    throw error;
  }
}

/** A client that can do nothing but show assertions, as metadata (RFC 7591 section 2). */
export function assertionClient(clientId: string): AdapterPayload {
  return {
    client_id: clientId,
    token_endpoint_auth_method: "none",
    grant_types: [jwtBearerGrantType],
    response_types: [],
    redirect_uris: [],
    authorization_details_types: [bucketDetailType],
  };
}
