/** Configures oidc-provider to offer what this service offers, and nothing else. */
import type { Denylist } from "@stowage/access-token";
import type { Logger } from "@stowage/process";
import type {
  AccessToken,
  ClientAuthMethod,
  Configuration,
  Provider as ProviderInstance,
  TokenEndpointGrantContext,
} from "oidc-provider";
import type pg from "pg";
import { assertionAcceptor } from "../grants/accept-assertion.ts";
import { formAccessToken } from "../grants/access-token-form.ts";
import {
  clientCredentialsGrant,
  clientCredentialsParameters,
} from "../grants/client-credentials.ts";
import { repeatedParameters, tokenExchangeParameters } from "../grants/exchange-request.ts";
import { jwtBearerGrant, jwtBearerParameters } from "../grants/jwt-bearer.ts";
import { ownTokenReader } from "../grants/own-tokens.ts";
import { recordPersonToken } from "../grants/person-tokens.ts";
import { extraClientMetadata, tokenExchangeGrantType } from "../grants/registered-client.ts";
import { shownTokens, shownTokensMetadata, storedTokensPolicies } from "../grants/shown-tokens.ts";
import { tokenExchangeGrant } from "../grants/token-exchange.ts";
import { hashingWork } from "../limits/bounded-work.ts";
import { countRequest, type RequestRate } from "../limits/request-rate.ts";
import { logoutFeatures, logoutPagesWithoutScript } from "../logout/logout-pages.ts";
import type { ServiceMetrics } from "../metrics/service-metrics.ts";
import { generateClientSecret, hashClientSecret } from "../model/credentials.ts";
import { providerPaths } from "../model/paths.ts";
import { matchesSecret } from "../model/scrypt-hash.ts";
import { signingAlgorithm } from "../model/signing-key.ts";
import { jwtBearerGrantType } from "../overrides/assertion-bearer.ts";
import { compareSecretsByHash } from "../overrides/client-secrets.ts";
import { keepFromOtherOrigins } from "../overrides/cross-origin.ts";
import { CurrentSigningKey } from "../overrides/current-signing-key.ts";
import { answerError, answerFaults, reportErrors } from "../overrides/error-answers.ts";
import { verifyHintsWithFormerKeys } from "../overrides/id-token-hints.ts";
import { Provider } from "../overrides/library.ts";
import { redirectLogoutForms } from "../overrides/logout-forms.ts";
import { publishDocuments } from "../overrides/published-documents.ts";
import { replaceScriptPages } from "../overrides/script-pages.ts";
import { includeSessionIds } from "../overrides/session-ids.ts";
import { replaceSessionStorage } from "../overrides/sessions.ts";
import { answerForSignedTokens } from "../overrides/signed-tokens.ts";
import { answerUnauthorizedClient } from "../overrides/unauthorized-client.ts";
import type { LoginRates } from "../sign-in/login.ts";
import { signInPages } from "../sign-in/sign-in-pages.ts";
import type { FollowedKeys } from "../signing/followed-keys.ts";
import { findAccount } from "../store/accounts.ts";
import { findGrantOf, recordAuthorisation, revokeGrant } from "../store/authorisations.ts";
import { findClient } from "../store/clients.ts";
import { findConsents } from "../store/consents.ts";
import { findServiceAccount, useAssertion } from "../store/service-accounts.ts";
import { endSession, storeSession } from "../store/sessions.ts";
import { resourceIndicators, richAuthorizationRequests } from "./access-features.ts";
import { peopleConfiguration } from "./people.ts";
import { recordOutcomes } from "./record-outcomes.ts";
import { storageOf } from "./storage.ts";

/** What the provider needs. */
interface ProviderOptions {
  /** The issuer, exactly as it must be in tokens. */
  authUrl: string;
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
  signingKeys: FollowedKeys;
  /** How long a new key is published before it signs. */
  keyPublicationSeconds: number;
  denylist: Denylist;
  /** How often one client may ask for tokens. */
  clientRate: RequestRate;
  loginRates: LoginRates;
  /** Called when sessions have ended, and the clients to tell are recorded. */
  sessionsEnded: () => void;
  pool: pg.Pool;
  metrics: ServiceMetrics;
  logger: Logger;
}

/** Makes the provider. It relies on `http/`, which passes on only known routes. */
export function createProvider(options: ProviderOptions): ProviderInstance {
  const provider = new Provider(options.authUrl, configuration(options));
  // http/ sets the forwarding headers to AUTH_URL, so the provider may trust them.
  provider.proxy = true;
  const readOwnToken = ownTokenReader({
    ...options,
    findPublicKey: (keyId) => options.signingKeys.findPublicKey(keyId),
  });
  registerGrants(provider, options, readOwnToken);
  installOverrides(provider, options, readOwnToken);
  return provider;
}

type ReadOwnToken = ReturnType<typeof ownTokenReader>;
type GrantHandler = (ctx: TokenEndpointGrantContext) => Promise<void>;

function registerGrants(
  provider: ProviderInstance,
  options: ProviderOptions,
  readOwnToken: ReadOwnToken,
): void {
  const { authUrl, clientRate, pool } = options;
  const grantOptions = {
    ...options,
    provider,
    readOwnToken,
    recordAuthorisation: (grant: Parameters<typeof recordAuthorisation>[1]) =>
      recordAuthorisation(pool, grant),
    findGrantOf: (authorisationId: string) => findGrantOf(pool, authorisationId),
    acceptAssertion: assertionAcceptor({
      authUrl,
      tokenEndpoint: authUrl + providerPaths.token,
      findServiceAccount: (id) => findServiceAccount(pool, id),
      useAssertion: (assertion) => useAssertion(pool, assertion),
    }),
  };
  // Counts requests of authenticated clients only: others could use up the requests of a client.
  const limited = (handler: GrantHandler): GrantHandler => {
    return async (ctx) => {
      await countRequest(clientRate, ctx.oidc.client.clientId);
      await handler(ctx);
    };
  };
  provider.registerGrantType(
    "client_credentials",
    limited(clientCredentialsGrant(grantOptions)),
    clientCredentialsParameters,
    "resource",
  );
  provider.registerGrantType(
    tokenExchangeGrantType,
    limited(tokenExchangeGrant(grantOptions)),
    tokenExchangeParameters,
    repeatedParameters,
  );
  provider.registerGrantType(
    jwtBearerGrantType,
    jwtBearerGrant(grantOptions),
    jwtBearerParameters,
    "resource",
  );
}

/** The first middleware is the outermost: it sees a request first and its answer last. */
function installOverrides(
  provider: ProviderInstance,
  options: ProviderOptions,
  readOwnToken: ReadOwnToken,
): void {
  const { authUrl, signingKeys, pool, sessionsEnded, metrics, logger } = options;
  const hashing = hashingWork(({ running, waiting }) => {
    metrics.hashing.set({ state: "running" }, running);
    metrics.hashing.set({ state: "waiting" }, waiting);
  });
  provider.use(recordOutcomes(metrics.grants));
  compareSecretsByHash(
    provider,
    (secret, hash) => hashing(() => matchesSecret(secret, hash)),
    hashClientSecret(generateClientSecret()),
  );
  includeSessionIds(provider);
  replaceSessionStorage(provider, {
    storeSession: (session) => storeSession(pool, session),
    endSession: (id) => endSession(pool, id),
    sessionsEnded,
  });
  verifyHintsWithFormerKeys(provider, (keyId) => signingKeys.findPublicKey(keyId));
  provider.use(replaceScriptPages(logoutPagesWithoutScript));
  provider.use(redirectLogoutForms(authUrl + providerPaths.endSession, providerPaths.endSession));
  provider.use(keepFromOtherOrigins);
  provider.use(publishDocuments(options));
  provider.use(answerFaults(logger));
  provider.use(signInPages({ ...options, provider, hashing, signIns: metrics.signIns }));
  provider.use(answerForSignedTokens(shownTokens({ ...options, readOwnToken })));
  reportErrors(provider, logger);
  answerUnauthorizedClient(provider);
}

const clientAuthMethods: ClientAuthMethod[] = ["client_secret_basic", "client_secret_post", "none"];

function configuration(options: ProviderOptions): Configuration {
  const { authUrl: issuer, audiences, signingKeys, pool, denylist, clientRate } = options;
  return {
    ...peopleConfiguration({
      authUrl: issuer,
      findAccount: (accountId) => findAccount(pool, accountId),
      findConsents: (accountId, clientId) => findConsents(pool, accountId, clientId),
      countRefresh: (ctx) => countRequest(clientRate, ctx.oidc.client?.clientId ?? ""),
    }),
    adapter: storageOf({
      findClient: (clientId) => findClient(pool, clientId),
      findServiceAccount: (id) => findServiceAccount(pool, id),
      pool,
      revokeGrant: (grantId) => revokeGrant(pool, denylist, grantId),
    }),
    jwks: { keys: [new CurrentSigningKey(signingKeys)] },
    routes: {
      authorization: providerPaths.authorization,
      end_session: providerPaths.endSession,
      pushed_authorization_request: providerPaths.pushedRequest,
      token: providerPaths.token,
      revocation: providerPaths.revocation,
      introspection: providerPaths.introspection,
      jwks: providerPaths.keySet,
    },
    clientAuthMethods,
    discovery: shownTokensMetadata(clientAuthMethods),
    extraClientMetadata,
    features: {
      ...features,
      ...logoutFeatures(pool),
      resourceIndicators: resourceIndicators({ audiences, issuer }),
      richAuthorizationRequests,
    },
    formats: {
      customizers: {
        async jwt(ctx, token, parts) {
          await signingKeys.ensureRecent();
          if (token.kind === "AccessToken") {
            await recordPersonToken(ctx, token as AccessToken, (grant) =>
              recordAuthorisation(pool, grant),
            );
          }
          formAccessToken(ctx, token, parts);
        },
      },
    },
    renderError: answerError,
    // overrides/cross-origin.ts decides.
    clientBasedCORS: () => true,
    // The provider must never use client secrets as keys: they are hashes to it.
    enabledJWA: {
      idTokenSigningAlgValues: [signingAlgorithm],
      clientAuthSigningAlgValues: [],
    },
  };
}

/** oidc-provider turns most of these on by default. */
const features: Configuration["features"] = {
  devInteractions: { enabled: false },
  ...storedTokensPolicies,
  // For overrides/current-signing-key.ts.
  externalSigningSupport: { enabled: true, ack: "experimental-01" },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: true },
  userinfo: { enabled: false },
};
