/** Finds the addresses and keys of the provider (OpenID Connect Discovery 1.0). */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import * as openid from "openid-client";
import { fetchFromProvider } from "./requests.ts";
import type { IdentityProvider } from "./settings.ts";

/** What is known of the provider. */
interface Discovered {
  /** For `openid-client`. */
  configuration: openid.Configuration;
  /** The keys that sign its tokens. */
  keys: JWTVerifyGetKey;
}

/**
 * Discovers the provider, at most once an hour. If it is down, what was known before holds.
 *
 * @throws when nothing is known
 */
export type Discover = () => Promise<Discovered>;

const keptMs = 3_600_000;

/** Makes a {@link Discover}. */
export function discoverer(provider: IdentityProvider): Discover {
  let known: Discovered | undefined;
  let knownUntil = 0;
  let running: Promise<Discovered> | undefined;
  const discover = async () => {
    try {
      known = await discoverNow(provider);
      return known;
    } catch (error) {
      if (known === undefined) throw error;
      return known;
    } finally {
      knownUntil = Date.now() + keptMs;
      running = undefined;
    }
  };
  return async () => {
    if (known !== undefined && Date.now() < knownUntil) return known;
    running ??= discover();
    return await running;
  };
}

async function discoverNow(provider: IdentityProvider): Promise<Discovered> {
  const { issuer, clientId, clientSecret } = provider;
  const isHttp = issuer.startsWith("http:");
  const found = await openid.discovery(new URL(issuer), clientId, undefined, undefined, {
    [openid.customFetch]: fetchFromProvider as openid.CustomFetch,
    execute: isHttp ? [openid.allowInsecureRequests] : [],
  });
  const metadata = found.serverMetadata();
  // Exactly: `openid-client` accepts the metadata of any tenant of Entra ID.
  if (metadata.issuer !== issuer) {
    throw new Error(
      `AUTH_PROVIDER_ISSUER is ${issuer}, but its metadata name ${metadata.issuer}: need exactly ` +
        "that, and for Entra ID the issuer of one tenant",
    );
  }
  if (metadata.jwks_uri === undefined) throw new Error("the provider's metadata name no keys");
  const authentication = authenticationOf(clientSecret, metadata);
  const configuration = new openid.Configuration(metadata, clientId, undefined, authentication);
  configuration[openid.customFetch] = fetchFromProvider as openid.CustomFetch;
  if (isHttp) openid.allowInsecureRequests(configuration);
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), { [customFetch]: fetchFromProvider });
  return { configuration, keys };
}

function authenticationOf(
  clientSecret: string | undefined,
  { token_endpoint_auth_methods_supported: supported }: openid.ServerMetadata,
): openid.ClientAuth {
  if (clientSecret === undefined) return openid.None();
  // Discovery section 3: without a list, it is client_secret_basic.
  const isPosted = supported?.includes("client_secret_post") ?? false;
  return isPosted ? openid.ClientSecretPost(clientSecret) : openid.ClientSecretBasic(clientSecret);
}
