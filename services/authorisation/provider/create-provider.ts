/** Configures oidc-provider to offer what this service offers, and nothing else. */
import type {
  AccessToken,
  Client,
  ClientAuthMethod,
  Configuration,
  Provider as ProviderInstance,
  RefreshToken,
} from "oidc-provider";
import { deviceFlow } from "../devices/device-flow.ts";
import { setAccessTokenClaims } from "../grants/access-token-claims.ts";
import { endpointMetadata, storedTokensPolicies } from "../grants/introspection-and-revocation.ts";
import { ownTokenReader } from "../grants/own-tokens.ts";
import { checkRefresh, recordPersonToken } from "../grants/person-tokens.ts";
import { extraClientMetadata } from "../grants/registered-client.ts";
import { answerError } from "../http/error-answers.ts";
import { countRequest } from "../limits/rate-limiter.ts";
import { logoutFeatures } from "../logout/logout-pages.ts";
import { clientKeyAlgorithms } from "../model/client-keys.ts";
import { providerPaths } from "../model/paths.ts";
import { signingAlgorithm } from "../model/signing-key.ts";
import { errors, Provider } from "../overrides/library.ts";
import { changingKeys } from "../overrides/signing-keys.ts";
import { goOnAgain } from "../sign-in/sign-in-pages.ts";
import { findAccount } from "../store/accounts.ts";
import { authorisationRecorder, type RecordAuthorisation } from "../store/authorisations.ts";
import { clientFinder, type FindClient } from "../store/clients.ts";
import { resourceIndicators, richAuthorizationRequests } from "./access-features.ts";
import { accessTokenFinder } from "./access-tokens.ts";
import { endUserConfiguration } from "./end-user-configuration.ts";
import { installMiddleware, patchLibrary } from "./install-overrides.ts";
import { otherProvider } from "./other-provider.ts";
import type { ProviderOptions } from "./provider-options.ts";
import { revokeAndRecord } from "./record-events.ts";
import { registerGrants } from "./register-grants.ts";
import { sessionStorage } from "./session-storage.ts";
import { type StorageOptions, storageOf } from "./storage.ts";

/** The statements of token requests. Concurrent requests share them. */
interface TokenStatements {
  findClient: FindClient;
  recordAuthorisation: RecordAuthorisation;
}

/** Makes the provider. It relies on `http/`, which passes on only known routes. */
export function createProvider(options: ProviderOptions): ProviderInstance {
  const statements = {
    findClient: clientFinder(options.pool),
    recordAuthorisation: authorisationRecorder(options.pool),
  };
  const readOwnToken = ownTokenReader({
    ...options,
    findPublicKey: (keyId) => options.signingKeys.findPublicKey(keyId),
  });
  const findAccessToken = accessTokenFinder({ ...options, readOwnToken });
  const settings = configuration({ ...options, ...statements, findAccessToken });
  const provider = new Provider(options.authUrl, settings);
  // http/ sets the forwarding headers to AUTH_URL, so the provider may trust them.
  provider.proxy = true;
  const other = otherProvider(provider, options);
  const readIdToken = other?.readIdToken ?? (async () => undefined);
  registerGrants(provider, { ...options, ...statements, readIdToken }, readOwnToken);
  patchLibrary(provider, options);
  installMiddleware(provider, options, readOwnToken, other);
  return provider;
}

const clientAuthMethods: ClientAuthMethod[] = [
  "client_secret_basic",
  "client_secret_post",
  "private_key_jwt",
  "none",
];

/** A program signs an assertion for each token. Clocks may differ by as much as it is valid. */
const assertionSecondsMax = 300;

function configuration(
  options: ProviderOptions & TokenStatements & Pick<StorageOptions, "findAccessToken">,
): Configuration {
  const { authUrl: issuer, audiences, signingKeys, pool, lifetimes } = options;
  const { findClient, recordAuthorisation, clientRate } = options;
  const revokeGrant = (grantId: string) => revokeAndRecord(options, grantId);
  const resources = resourceIndicators({ audiences, issuer }, lifetimes.accessToken);
  return {
    rotateRefreshToken: async (ctx) => {
      const { RefreshToken: token } = ctx.oidc.entities;
      // oidc-provider checks only after it has used up the token.
      checkRefresh(ctx, token as RefreshToken, resources.getResourceServerInfo);
      await countRequest(clientRate, token?.clientId ?? "");
      return true;
    },
    ...endUserConfiguration({
      authUrl: issuer,
      findAccount: (accountId) => findAccount(pool, accountId),
      pool,
      lifetimes,
    }),
    adapter: storageOf({
      refreshGraceSeconds: lifetimes.refreshTokenGrace,
      userCodeRates: options.userCodeRates,
      findAccessToken: options.findAccessToken,
      sessions: sessionStorage(options.pool),
      findClient,
      pool,
      revokeGrant,
    }),
    jwks: { keys: changingKeys(signingKeys) },
    routes: {
      authorization: providerPaths.authorization,
      device_authorization: providerPaths.deviceAuthorization,
      code_verification: providerPaths.device,
      end_session: providerPaths.endSession,
      pushed_authorization_request: providerPaths.pushedRequest,
      token: providerPaths.token,
      userinfo: providerPaths.userinfo,
      revocation: providerPaths.revocation,
      introspection: providerPaths.introspection,
      jwks: providerPaths.keySet,
    },
    clientAuthMethods,
    async assertJwtClientAuthClaimsAndHeader(_ctx, { exp }) {
      if (Number(exp) <= Date.now() / 1000 + assertionSecondsMax) return;
      throw new errors.InvalidClientAuth(`an assertion is valid ${assertionSecondsMax} s at most`);
    },
    discovery: endpointMetadata(clientAuthMethods),
    extraClientMetadata,
    features: {
      ...features,
      ...storedTokensPolicies(clientRate),
      ...logoutFeatures(pool),
      resourceIndicators: resources,
      deviceFlow: deviceFlow(issuer),
      richAuthorizationRequests,
    },
    formats: {
      customizers: {
        async jwt(ctx, token, parts) {
          await signingKeys.ensureRecent();
          if (token.kind === "AccessToken") {
            await recordPersonToken(ctx, token as AccessToken, recordAuthorisation);
          }
          setAccessTokenClaims(ctx, token, parts);
        },
      },
    },
    async renderError(ctx, out, error) {
      const isOver = ctx.oidc.route === "resume" && error instanceof errors.SessionNotFound;
      if (isOver && (await goOnAgain(ctx, options))) return;
      answerError(ctx, out);
    },
    // Pages read answers only for a client of theirs (RFC 9700 section 2.6). A preflight names no
    // client, so all of them are allowed.
    clientBasedCORS: (_ctx, origin, client) => mayRead(client, origin),
    // The provider must never use client secrets as keys: it has only their hashes.
    enabledJWA: {
      idTokenSigningAlgValues: [signingAlgorithm],
      clientAuthSigningAlgValues: [...clientKeyAlgorithms],
    },
  };
}

/** The origin of an address with a scheme of an application's own is "null". */
function mayRead({ clientAuthMethod, redirectUris = [] }: Client, origin: string): boolean {
  const isPublic = clientAuthMethod === "none" && origin !== "null";
  return isPublic && redirectUris.some((uri) => URL.parse(uri)?.origin === origin);
}

/** oidc-provider turns most of these on by default. */
const features: Configuration["features"] = {
  devInteractions: { enabled: false },
  // For overrides/signing-keys.ts.
  externalSigningSupport: { enabled: true, ack: "experimental-01" },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: true },
  userinfo: { enabled: true },
};
