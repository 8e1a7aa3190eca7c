/**
 * What clients that act for people may ask for: resource servers (resource indicators, RFC 8707)
 * and authorization details (rich authorization requests, RFC 9396).
 */
import type { Client, Configuration, KoaContextWithOIDC } from "oidc-provider";
import { bucketDetailType } from "../authorization-details/bucket-detail.ts";
import { narrowDetails } from "../authorization-details/narrow-details.ts";
import { readDetails } from "../authorization-details/read-details.ts";
import { registeredClient } from "../grants/registered-client.ts";
import type { Resources } from "../grants/scopes-and-audience.ts";
import { openIdScopes, serviceAccountScope } from "../model/scopes.ts";
import { signingAlgorithm } from "../model/signing-key.ts";
import { errors } from "../overrides/library.ts";

/** The feature `resourceIndicators`. */
export function resourceIndicators({ audiences, issuer }: Resources, accessTokenSeconds: number) {
  return {
    enabled: true,
    useGrantedResource: () => true,
    // A token is for one of the resources that were granted.
    defaultResource: (_ctx, _client, granted) => {
      if (granted === undefined) return audiences[0] ?? [];
      const servers = [granted].flat().filter((resource) => resource !== issuer);
      return servers.length === 1 ? (servers[0] ?? []) : servers;
    },
    getResourceServerInfo: (ctx, resource, client) => {
      const asked = [ctx.oidc.params?.resource].flat();
      if (asked.every((each) => each === issuer)) {
        throw new errors.InvalidTarget("the issuer can only be asked for beside a resource server");
      }
      if (resource !== issuer && !audiences.includes(resource)) {
        throw new errors.InvalidTarget("the resource is not known to this authorisation server");
      }
      dropScopes(ctx, client);
      return {
        scope: resource === issuer ? "" : scopesForPeople(client).join(" "),
        audience: resource,
        accessTokenTTL: accessTokenSeconds,
        accessTokenFormat: "jwt",
        jwt: { sign: { alg: signingAlgorithm } },
      };
    },
  } satisfies NonNullable<Configuration["features"]>["resourceIndicators"];
}

/**
 * Drops the scopes that nobody knows, and those that the client may not have (RFC 6749 section
 * 3.3). The answer of the token endpoint names what is left.
 */
function dropScopes({ oidc: { params, route } }: KoaContextWithOIDC, client: Client): void {
  const requested = params?.scope;
  if (params === undefined || typeof requested !== "string" || requested === "") {
    if (route === "token") return;
    throw new errors.InvalidScope("the request must name scopes", "");
  }
  const allowed = [...scopesForPeople(client), ...openIdScopes];
  const left = requested.split(" ").filter((scope) => allowed.includes(scope));
  if (left.length === 0) {
    throw new errors.InvalidScope("the client is not allowed any of the scopes", requested);
  }
  params.scope = left.join(" ");
}

/** A person's token never looks like a service account's, whatever the client is allowed. */
function scopesForPeople(client: Client): string[] {
  return registeredClient(client).scopes.filter((scope) => scope !== serviceAccountScope);
}

/** The feature `richAuthorizationRequests`. */
export const richAuthorizationRequests = {
  enabled: true,
  types: {
    // Checks all entries together: together they must fit into a token.
    [bucketDetailType]: { validate: (ctx) => void readDetails(parameterOf(ctx.oidc.params)) },
  },
  // A request without details gets those of the grant: a person who has allowed some folders has
  // not allowed all.
  authorizationDetailsForGrantSource: (ctx) =>
    readDetails(parameterOf(ctx.oidc.params)) ?? ctx.oidc.grant?.rar,
  authorizationDetailsForAccessToken: (ctx, _token, source) =>
    narrowDetails(readDetails(parameterOf(ctx.oidc.params)), source?.rar),
  authorizationDetailsForIntrospection: (_ctx, token) => token.rar,
} satisfies NonNullable<Configuration["features"]>["richAuthorizationRequests"];

function parameterOf(params: Readonly<Record<string, unknown>> = {}): string | undefined {
  return params.authorization_details as string | undefined;
}
