/** Configures oidc-provider to offer what this service offers, and nothing else. */
import type { KeyObject } from "node:crypto";
import type { Denylist } from "@stowage/access-token";
import { addressLimitKey, type Logger } from "@stowage/process";
import type {
  AccessToken,
  ClientAuthMethod,
  Configuration,
  Provider as ProviderInstance,
} from "oidc-provider";
import type pg from "pg";
import { accountPages } from "../account/account-pages.ts";
import { codePageWithoutScript, deviceFlow } from "../devices/device-flow.ts";
import { keepPollingInterval } from "../devices/polling.ts";
import { limitUserCodes, type UserCodeRates } from "../devices/user-code-limits.ts";
import { setAccessTokenClaims } from "../grants/access-token-claims.ts";
import { compareClientSecrets } from "../grants/client-secrets.ts";
import {
  endpointMetadata,
  introspectionAndRevocation,
  storedTokensPolicies,
} from "../grants/introspection-and-revocation.ts";
import { ownTokenReader, type ReadOwnToken } from "../grants/own-tokens.ts";
import { recordPersonToken } from "../grants/person-tokens.ts";
import { extraClientMetadata } from "../grants/registered-client.ts";
import { browserCookie } from "../http/cookies.ts";
import { limitHashing, type OnWorkLoad } from "../limits/concurrency-limit.ts";
import type { RateLimiter } from "../limits/rate-limiter.ts";
import { logoutFeatures, logoutPagesWithoutScript } from "../logout/logout-pages.ts";
import type { ServiceMetrics } from "../metrics/service-metrics.ts";
import { hashPassword } from "../model/credentials.ts";
import type { Lifetimes } from "../model/lifetimes.ts";
import { providerPaths } from "../model/paths.ts";
import { signingAlgorithm } from "../model/signing-key.ts";
import { keepFromOtherOrigins } from "../overrides/cross-origin.ts";
import { CurrentSigningKey } from "../overrides/current-signing-key.ts";
import { keepHandlesFromDevices } from "../overrides/device-codes.ts";
import { answerError, answerFaults, reportErrors } from "../overrides/error-answers.ts";
import { verifyHintsWithFormerKeys } from "../overrides/id-token-hints.ts";
import { leaveByPage } from "../overrides/leaving-redirects.ts";
import { Provider } from "../overrides/library.ts";
import { redirectLogoutForms } from "../overrides/logout-forms.ts";
import { separateGrants } from "../overrides/own-grants.ts";
import { acceptPostedRequests } from "../overrides/posted-requests.ts";
import { publishDocuments } from "../overrides/published-documents.ts";
import { replaceScriptPages } from "../overrides/script-pages.ts";
import { includeSessionIds } from "../overrides/session-ids.ts";
import { replaceSessionStorage } from "../overrides/sessions.ts";
import { shareSignIns } from "../overrides/shared-sign-ins.ts";
import { answerForSignedTokens } from "../overrides/signed-tokens.ts";
import { answerUnauthorizedClient } from "../overrides/unauthorized-client.ts";
import { findSignedTokens } from "../overrides/userinfo-tokens.ts";
import type { LoginAttempts } from "../sign-in/login-attempts.ts";
import { passwordSignIn } from "../sign-in/password-sign-in.ts";
import { signInLinkPages } from "../sign-in/sign-in-link.ts";
import { signInPages } from "../sign-in/sign-in-pages.ts";
import type { KeyRing } from "../signing/key-ring.ts";
import { findAccount } from "../store/accounts.ts";
import {
  authorisationRecorder,
  findGrantOf,
  type RecordAuthorisation,
} from "../store/authorisations.ts";
import { clientFinder, type FindClient, findPageUris } from "../store/clients.ts";
import { copyGrant } from "../store/copy-grant.ts";
import { endSession } from "../store/end-sessions.ts";
import type { PendingLimits } from "../store/pending-records.ts";
import { type FindServiceAccount, serviceAccountFinder } from "../store/service-accounts.ts";
import { findSessionByOtherId } from "../store/session-ids.ts";
import { storeSession } from "../store/sessions.ts";
import { resourceIndicators, richAuthorizationRequests } from "./access-features.ts";
import { endUserConfiguration } from "./end-user-configuration.ts";
import { recordRequest, revokeAndRecord } from "./record-events.ts";
import { recordOutcomes } from "./record-outcomes.ts";
import { redeemAndRotate } from "./redeem-and-rotate.ts";
import { registerGrants } from "./register-grants.ts";
import { storageOf } from "./storage.ts";

/** What the provider needs. */
interface ProviderOptions {
  /** The issuer, exactly as it must be in tokens. */
  authUrl: string;
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
  signingKeys: KeyRing;
  /** How long a new key is published before it signs. */
  keyPublicationSeconds: number;
  denylist: Denylist;
  /** How often one client may ask for tokens. */
  clientRate: RateLimiter;
  /** How much that everybody can begin may be pending. */
  pendingLimits: PendingLimits;
  lifetimes: Lifetimes;
  /** See model/refresh-successors.ts. */
  successorKeys: readonly KeyObject[];
  /** See store/server-keys.ts. */
  clientSecretKey: Buffer;
  attempts: LoginAttempts;
  userCodeRates: UserCodeRates;
  /** Called when sessions have ended, and the clients to tell are recorded. */
  sessionsEnded: () => void;
  pool: pg.Pool;
  metrics: ServiceMetrics;
  logger: Logger;
}

/** The statements of token requests. Concurrent requests share them. */
interface TokenStatements {
  findClient: FindClient;
  findServiceAccount: FindServiceAccount;
  recordAuthorisation: RecordAuthorisation;
}

/** Makes the provider. It relies on `http/`, which passes on only known routes. */
export function createProvider(options: ProviderOptions): ProviderInstance {
  const statements = {
    findClient: clientFinder(options.pool),
    findServiceAccount: serviceAccountFinder(options.pool),
    recordAuthorisation: authorisationRecorder(options.pool),
  };
  const provider = new Provider(options.authUrl, configuration({ ...options, ...statements }));
  // http/ sets the forwarding headers to AUTH_URL, so the provider may trust them.
  provider.proxy = true;
  const readOwnToken = ownTokenReader({
    ...options,
    findPublicKey: (keyId) => options.signingKeys.findPublicKey(keyId),
  });
  registerGrants(provider, { ...options, ...statements }, readOwnToken);
  installOverrides(provider, options, readOwnToken);
  return provider;
}

/** The first middleware is the outermost: it sees a request first and its answer last. */
function installOverrides(
  provider: ProviderInstance,
  options: ProviderOptions,
  readOwnToken: ReadOwnToken,
): void {
  const { authUrl, signingKeys, pool, sessionsEnded, metrics, logger } = options;
  const hashingOf = (kind: "client_secret" | "password") => {
    const show: OnWorkLoad = ({ running, waiting }) => {
      metrics.hashing.set({ kind, state: "running" }, running);
      metrics.hashing.set({ kind, state: "waiting" }, waiting);
    };
    show({ running: 0, waiting: 0 });
    return limitHashing(kind, show);
  };
  provider.use(recordOutcomes(metrics.grants));
  findSignedTokens(provider, {
    readOwnToken,
    findGrantOf: (authorisationId) => findGrantOf(pool, authorisationId),
  });
  const key = options.clientSecretKey;
  compareClientSecrets(provider, { pool, key, hashing: hashingOf("client_secret") });
  includeSessionIds(provider);
  shareSignIns(provider, browserCookie(authUrl));
  replaceSessionStorage(provider, {
    findSessionByOtherId: (id, how) => findSessionByOtherId(pool, id, how),
    storeSession: (session) =>
      storeSession(pool, session, {
        address: addressLimitKey(Provider.ctx?.ip ?? ""),
        pendingLimits: options.pendingLimits,
      }),
    async endSession(id, subject) {
      await endSession(pool, id);
      // Everybody can begin and end sessions in which nobody is signed in.
      if (subject !== undefined) await recordRequest(pool, { kind: "session_ended", subject });
    },
    sessionsEnded,
  });
  redeemAndRotate(provider, options);
  verifyHintsWithFormerKeys(provider, (keyId) => signingKeys.findPublicKey(keyId));
  provider.use(leaveByPage(authUrl));
  const revokeGrant = (grantId: string) => revokeAndRecord(options, grantId);
  separateGrants(provider, (grantId, copy) => copyGrant({ pool, revokeGrant }, grantId, copy));
  keepHandlesFromDevices(provider);
  limitUserCodes(provider, options.userCodeRates);
  provider.use(
    replaceScriptPages({
      ...logoutPagesWithoutScript,
      device_resume: logoutPagesWithoutScript.resume,
      code_verification: codePageWithoutScript,
    }),
  );
  provider.use(keepPollingInterval());
  provider.use(redirectLogoutForms(authUrl + providerPaths.endSession, providerPaths.endSession));
  provider.use(acceptPostedRequests(providerPaths.authorization));
  provider.use(keepFromOtherOrigins(() => findPageUris(pool)));
  provider.use(publishDocuments(options));
  provider.use(answerFaults(logger));
  const { signIns } = metrics;
  const hashing = hashingOf("password");
  const signIn = passwordSignIn({ ...options, signIns, hashing });
  const pages = { ...options, provider, signIns, signIn, browserCookie: browserCookie(authUrl) };
  provider.use(signInPages(pages));
  provider.use(signInLinkPages(pages));
  provider.use(
    accountPages({
      ...pages,
      hashPassword: (password) => hashing.run(() => hashPassword(password)),
    }),
  );
  provider.use(
    answerForSignedTokens(
      introspectionAndRevocation({
        ...options,
        readOwnToken,
        tokenRevoked: (revoked) => recordRequest(pool, { kind: "token_revoked", ...revoked }),
      }),
    ),
  );
  reportErrors(provider, logger);
  answerUnauthorizedClient(provider);
}

const clientAuthMethods: ClientAuthMethod[] = ["client_secret_basic", "client_secret_post", "none"];

function configuration(options: ProviderOptions & TokenStatements): Configuration {
  const { authUrl: issuer, audiences, signingKeys, pool, lifetimes } = options;
  const { findClient, findServiceAccount, recordAuthorisation } = options;
  return {
    ...endUserConfiguration({
      authUrl: issuer,
      findAccount: (accountId) => findAccount(pool, accountId),
      pool,
      lifetimes,
    }),
    adapter: storageOf({
      pendingLimits: options.pendingLimits,
      findClient,
      findServiceAccount,
      pool,
      revokeGrant: (grantId) => revokeAndRecord(options, grantId),
    }),
    jwks: { keys: [new CurrentSigningKey(signingKeys)] },
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
    discovery: endpointMetadata(clientAuthMethods),
    extraClientMetadata,
    features: {
      ...features,
      ...logoutFeatures(pool),
      resourceIndicators: resourceIndicators({ audiences, issuer }, lifetimes.accessToken),
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
  userinfo: { enabled: true },
};
