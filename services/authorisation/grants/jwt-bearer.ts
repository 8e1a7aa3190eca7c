/**
 * The JWT bearer grant (RFC 7523 section 2.1): a service account shows an assertion and gets a
 * token. There is no other client, so the token names the account as the client too.
 */
import type { TokenEndpointGrantContext } from "oidc-provider";
import { readDetails } from "../authorization-details/read-details.ts";
import { countRequest, type RateLimiter } from "../limits/rate-limiter.ts";
import { jwtBearerGrantType } from "../model/grant-types.ts";
import { serviceAccountScope } from "../model/scopes.ts";
import { serviceAccountUrn } from "../model/subjects.ts";
import { bearerClientId } from "../overrides/assertion-bearer.ts";
import { errors } from "../overrides/library.ts";
import type { StoredServiceAccount } from "../store/service-accounts.ts";
import { type AcceptAssertion, AssertionRefusedError } from "./accept-assertion.ts";
import { type GrantOptions, issueToken } from "./issue-token.ts";
import { chooseAudience, chooseScopes } from "./scopes-and-audience.ts";

/** The parameters of the token endpoint that this grant reads. */
export const jwtBearerParameters = ["assertion", "scope", "resource", "authorization_details"];

/** What this grant needs. */
interface JwtBearerOptions extends GrantOptions {
  acceptAssertion: AcceptAssertion;
  /** How often one account may ask for tokens. */
  clientRate: RateLimiter;
}

/** Makes the handler of the grant. */
export function jwtBearerGrant(options: JwtBearerOptions) {
  const resources = { audiences: options.audiences, issuer: options.provider.issuer };

  return async (ctx: TokenEndpointGrantContext): Promise<void> => {
    const { client, params } = ctx.oidc;
    const account = await readAssertion(params.assertion, client.clientId, options);
    const { serviceAccountId, applicationId, organisationId } = account;
    await countRequest(options.clientRate, serviceAccountId);

    const newAuthorisation = {
      grantType: jwtBearerGrantType,
      clientId: serviceAccountId,
      applicationId,
      organisationId,
      subject: serviceAccountUrn(serviceAccountId),
      audience: chooseAudience(params.resource, resources),
      scopes: chooseScopes(params.scope, account.scopes, serviceAccountScope),
      authorizationDetails: readDetails(params.authorization_details),
    };
    await issueToken(ctx, newAuthorisation, options);
  };
}

/** @throws errors.InvalidGrant, always with the same description; the log has the reason. */
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
