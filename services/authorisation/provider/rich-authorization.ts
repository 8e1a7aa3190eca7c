/**
 * Rich authorization requests (RFC 9396) as oidc-provider offers them: which types there are, and
 * what of what was asked for ends up in a token.
 */
import type { Configuration } from "oidc-provider";
import { bucketDetailType } from "../authorization-details/bucket-detail.ts";
import { narrowDetails } from "../authorization-details/narrow-details.ts";
import { readDetails } from "../authorization-details/read-details.ts";

type Feature = NonNullable<NonNullable<Configuration["features"]>["richAuthorizationRequests"]>;

/** The feature, for the provider's configuration. */
export const richAuthorizationRequests = {
  enabled: true,
  types: {
    // Each entry is checked with all others: together they must fit into a token.
    [bucketDetailType]: { validate: (ctx) => void readDetails(parameterOf(ctx.oidc.params)) },
  },
  // Who has allowed a client some folders, and nothing more since, must not have allowed it all:
  // a request that names none gets those.
  authorizationDetailsForGrantSource: (ctx) =>
    readDetails(parameterOf(ctx.oidc.params)) ?? ctx.oidc.grant?.rar,
  authorizationDetailsForAccessToken: (ctx, _token, source) =>
    narrowDetails(readDetails(parameterOf(ctx.oidc.params)), source?.rar),
  authorizationDetailsForIntrospection: (_ctx, token) => token.rar,
} satisfies Feature;

function parameterOf(params: Readonly<Record<string, unknown>> = {}): string | undefined {
  return params.authorization_details as string | undefined;
}
