/** The parameters of a token exchange (RFC 8693 section 2.1). */
import type { TokenEndpointGrantContext } from "oidc-provider";
import { errors } from "../overrides/library.ts";

/** The parameters of the token endpoint that this grant reads. */
export const tokenExchangeParameters = [
  "subject_token",
  "subject_token_type",
  "actor_token",
  "actor_token_type",
  "requested_token_type",
  "audience",
  "resource",
  "scope",
  "authorization_details",
];

/** The parameters that a request may repeat (RFC 8693 section 2.1). */
export const repeatedParameters = ["audience", "resource"];

/** Our access tokens are JWTs, so both types are right (RFC 8693 section 3). */
const tokenTypes = [
  "urn:ietf:params:oauth:token-type:access_token",
  "urn:ietf:params:oauth:token-type:jwt",
] as const;

/** Of another provider, as a subject token only. */
const idTokenType = "urn:ietf:params:oauth:token-type:id_token";

/** A request, checked. */
interface ExchangeRequest {
  subjectToken: string;
  /** Whether it is an ID token of another provider; otherwise it is an access token of ours. */
  isIdToken: boolean;
  /** The type of the new token in the answer. */
  issuedTokenType: string;
  /** The requested audiences, each once; empty: the default. */
  targets: readonly string[];
  scope: string | undefined;
  authorizationDetails: string | undefined;
}

/** @throws errors.InvalidRequest for parameters that are missing or not supported */
export function readExchangeRequest({ oidc }: TokenEndpointGrantContext): ExchangeRequest {
  const { scope, authorization_details: authorizationDetails, ...params } = oidc.params;
  const { subject_token: subjectToken, subject_token_type: subjectTokenType } = params;
  requireText("subject_token", subjectToken);
  requireText("subject_token_type", subjectTokenType);
  const isIdToken = subjectTokenType === idTokenType;
  if (!isIdToken) requireTokenType("subject_token_type", subjectTokenType);
  if (params.actor_token !== undefined || params.actor_token_type !== undefined) {
    throw new errors.InvalidRequest(
      "actor_token is not supported: the actor is the client that authenticates",
    );
  }
  const requested = params.requested_token_type ?? tokenTypes[0];
  requireTokenType("requested_token_type", requested);
  return {
    subjectToken,
    isIdToken,
    issuedTokenType: requested,
    // From the body: in `params` oidc-provider adds its default resource, which may not be one of
    // the subject token's.
    targets: [...new Set([oidc.body?.resource ?? [], params.audience ?? []].flat().map(String))],
    scope,
    authorizationDetails,
  };
}

function requireText(name: string, value: unknown): asserts value is string {
  if (typeof value === "string") return;
  throw new errors.InvalidRequest(`missing required parameter: ${name}`);
}

function requireTokenType(name: string, value: unknown): asserts value is string {
  if (tokenTypes.some((type) => type === value)) return;
  throw new errors.InvalidRequest(`${name} is not supported; need ${tokenTypes.join(" or ")}`);
}
