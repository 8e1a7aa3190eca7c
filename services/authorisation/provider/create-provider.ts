/** Sets up oidc-provider to offer what this service offers, and nothing else. */
import type { Denylist } from "@stowage/access-token";
import type { Logger } from "@stowage/process";
import type {
  AccessToken,
  ClientAuthMethod,
  Configuration,
  Provider as ProviderInstance,
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
import {
  extraClientMetadata,
  jwtBearerGrantType,
  tokenExchangeGrantType,
} from "../grants/registered-client.ts";
import {
  answerForOwnTokens,
  keptTokensPolicies,
  shownTokensMetadata,
} from "../grants/shown-tokens.ts";
import { tokenExchangeGrant } from "../grants/token-exchange.ts";
import { hashingWork } from "../limits/bounded-work.ts";
import { limitByClient, type RequestRate, takeTurn } from "../limits/request-rate.ts";
import { providerPaths } from "../model/paths.ts";
import { signingAlgorithm } from "../model/signing-key.ts";
import { compareSecretsByHash } from "../overrides/client-secrets.ts";
import { CurrentSigningKey } from "../overrides/current-signing-key.ts";
import { answerError, answerFaults, reportErrors } from "../overrides/error-answers.ts";
import { verifyHintsWithFormerKeys } from "../overrides/id-token-hints.ts";
import { Provider } from "../overrides/library.ts";
import { publishDocuments } from "../overrides/published-documents.ts";
import { tellSessions } from "../overrides/session-ids.ts";
import { endSessionsWhole, logoutFeatures } from "../overrides/sessions.ts";
import { type LoginRates, signInPages } from "../sign-in/sign-in-pages.ts";
import type { FollowedKeys } from "../signing/followed-keys.ts";
import { findAccount } from "../store/accounts.ts";
import { type Authorisation, type Grant, revokeGrant } from "../store/authorisations.ts";
import type { ClientRecord } from "../store/clients.ts";
import { findConsents } from "../store/consents.ts";
import type { OwnAssertion, StoredServiceAccount } from "../store/service-accounts.ts";
import { peopleConfiguration } from "./people.ts";
import { resourceServers, richAuthorizationRequests } from "./requested-access.ts";
import { storageOf } from "./storage.ts";

/** What the provider needs from the outside world. */
export interface ProviderOptions {
  /** The issuer, exactly as it must stand in tokens. */
  authUrl: string;
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
  signingKeys: FollowedKeys;
  /** How long a new key is published before it signs. */
  keyPublicationSeconds: number;
  denylist: Denylist;
  /** How often one client may ask for tokens. */
  clientRate: RequestRate;
  /** How often somebody may try to sign in. */
  loginRates: LoginRates;
  findClient: (clientId: string) => Promise<ClientRecord | undefined>;
  findServiceAccount: (serviceAccountId: string) => Promise<StoredServiceAccount | undefined>;
  /** Puts down that an assertion is used; false when it was before. */
  useAssertion: (assertion: OwnAssertion) => Promise<boolean>;
  recordAuthorisation: (grant: Grant) => Promise<Authorisation>;
  findGrantOf: (authorisationId: string) => Promise<string | undefined>;
  /** Called when sessions have ended, and it is noted which clients are to be told. */
  sessionsEnded: () => void;
  /** For what is kept between requests. */
  pool: pg.Pool;
  logger: Logger;
}

/** Makes the provider. It stands behind `server/`, which lets only known routes through. */
export function createProvider(options: ProviderOptions): ProviderInstance {
  const provider = new Provider(options.authUrl, configuration(options));
  // Requests come with headers that say AUTH_URL, whatever the caller sent: see server/.
  provider.proxy = true;

  const { signingKeys, clientRate } = options;
  const readOwnToken = ownTokenReader({
    ...options,
    findPublicKey: (keyId) => signingKeys.findPublicKey(keyId),
  });

  const grantOptions = { ...options, provider, readOwnToken };
  provider.registerGrantType(
    "client_credentials",
    limitByClient(clientRate, clientCredentialsGrant(grantOptions)),
    clientCredentialsParameters,
    "resource",
  );
  provider.registerGrantType(
    tokenExchangeGrantType,
    limitByClient(clientRate, tokenExchangeGrant(grantOptions)),
    tokenExchangeParameters,
    repeatedParameters,
  );
  provider.registerGrantType(
    jwtBearerGrantType,
    jwtBearerGrant({ ...grantOptions, acceptAssertion: acceptorOf(options) }),
    jwtBearerParameters,
    "resource",
  );
  const hashing = hashingWork();
  compareSecretsByHash(provider, hashing);
  tellSessions(provider);
  endSessionsWhole(provider, options);
  verifyHintsWithFormerKeys(provider, options.signingKeys);
  provider.use(publishDocuments(options));
  provider.use(answerFaults(options.logger));
  provider.use(signInPages({ ...options, provider, hashing }));
  provider.use(answerForOwnTokens({ ...options, readOwnToken }));
  reportErrors(provider, options.logger);
  return provider;
}

function acceptorOf(options: ProviderOptions) {
  const tokenEndpoint = options.authUrl + providerPaths.token;
  return assertionAcceptor({ ...options, tokenEndpoint });
}

const clientAuthMethods: ClientAuthMethod[] = ["client_secret_basic", "client_secret_post", "none"];

function configuration(options: ProviderOptions): Configuration {
  const { signingKeys, findClient, findServiceAccount, pool, denylist, clientRate } = options;
  return {
    ...peopleConfiguration({
      ...options,
      findAccount: (accountId) => findAccount(pool, accountId),
      findConsents: (accountId, clientId) => findConsents(pool, accountId, clientId),
      checkRefresh: (ctx) => takeTurn(clientRate, ctx.oidc.client?.clientId ?? ""),
    }),
    adapter: storageOf({
      findClient,
      findServiceAccount,
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
      resourceIndicators: resourceServers(options),
      richAuthorizationRequests,
    },
    formats: {
      customizers: {
        async jwt(ctx, token, parts) {
          await signingKeys.ensureRecent();
          if (token.kind === "AccessToken") {
            await recordPersonToken(ctx, token as AccessToken, options.recordAuthorisation);
          }
          formAccessToken(ctx, token, parts);
        },
      },
    },
    renderError: answerError,
    // To refuse an origin here would tell, before the secret is checked, that the client exists;
    // publishDocuments sees to it that no origin but the client's own reads an answer.
    clientBasedCORS: () => true,
    // Client secrets are hashes to oidc-provider, so it must never use one as a key.
    enabledJWA: {
      idTokenSigningAlgValues: [signingAlgorithm],
      clientAuthSigningAlgValues: [],
    },
  };
}

/** oidc-provider turns most of these on unless told otherwise. */
const features: Configuration["features"] = {
  devInteractions: { enabled: false },
  ...keptTokensPolicies,
  // For keys that change: see current-signing-key.ts.
  externalSigningSupport: { enabled: true, ack: "experimental-01" },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: true },
  userinfo: { enabled: false },
};
