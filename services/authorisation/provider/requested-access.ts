/**
 * Resource indicators (RFC 8707) where people are involved: which resource servers there are, and
 * what a client may ask of them.
 */
import type { Client, Configuration, KoaContextWithOIDC } from "oidc-provider";
import { bucketDetailType } from "../authorization-details/bucket-detail.ts";
import { narrowDetails } from "../authorization-details/narrow-details.ts";
import { readDetails } from "../authorization-details/read-details.ts";
import { registeredClient } from "../grants/registered-client.ts";
import { accessTokenLifetimeSeconds } from "../model/lifetimes.ts";
import { openIdScopes, serviceAccountScope } from "../model/scopes.ts";
import { signingAlgorithm } from "../model/signing-key.ts";
import { errors } from "../overrides/library.ts";

type ResourceIndicators = NonNullable<NonNullable<Configuration["features"]>["resourceIndicators"]>;

/** The feature, for the provider's configuration. */
export function resourceServers({
  authUrl,
  audiences,
}: {
  /** The issuer, which can be asked for beside a resource server. */
  authUrl: string;
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
}): ResourceIndicators {
  return {
    enabled: true,
    useGrantedResource: () => true,
    // Of several that were granted, a token is for one.
    defaultResource: (_ctx, _client, granted) => {
      if (granted === undefined) return audiences[0] ?? [];
      const servers = [granted].flat().filter((resource) => resource !== authUrl);
      return servers.length === 1 ? (servers[0] ?? []) : servers;
    },
    getResourceServerInfo: (ctx, resource, client) => {
      const asked = [ctx.oidc.params?.resource].flat();
      if (asked.every((each) => each === authUrl)) {
        throw new errors.InvalidTarget("the issuer can only be asked for beside a resource server");
      }
      if (resource !== authUrl && !audiences.includes(resource)) {
        throw new errors.InvalidTarget("the resource is not known to this authorisation server");
      }
      checkScopes(ctx, client);
      const scopes = scopesForPeople(client);
      return {
        scope: resource === authUrl ? "" : scopes.join(" "),
        audience: resource,
        accessTokenTTL: accessTokenLifetimeSeconds,
        accessTokenFormat: "jwt",
        jwt: { sign: { alg: signingAlgorithm } },
      };
    },
  };
}

/** oidc-provider passes over scopes that it does not know; who asks for them should be told. */
function checkScopes(ctx: KoaContextWithOIDC, client: Client): void {
  const requested = ctx.oidc.params?.scope;
  if (typeof requested !== "string" || requested === "") {
    if (ctx.oidc.route === "token") return;
    throw new errors.InvalidScope("the request must name scopes", "");
  }
  const allowed = scopesForPeople(client);
  for (const scope of requested.split(" ")) {
    if (!allowed.includes(scope) && !openIdScopes.includes(scope)) {
      throw new errors.InvalidScope("the client is not allowed a requested scope", scope);
    }
  }
}

/** A person's token must never look like a service account's, however the client was added. */
function scopesForPeople(client: Client): string[] {
  return registeredClient(client).scopes.filter((scope) => scope !== serviceAccountScope);
}

type RichAuthorizationRequests = NonNullable<
  NonNullable<Configuration["features"]>["richAuthorizationRequests"]
>;

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
} satisfies RichAuthorizationRequests;

function parameterOf(params: Readonly<Record<string, unknown>> = {}): string | undefined {
  return params.authorization_details as string | undefined;
}
