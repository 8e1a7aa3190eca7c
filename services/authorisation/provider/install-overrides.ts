/** Installs what oidc-provider does not do, or not as we need it. Each file says why. */
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import { accountPages } from "../account/account-pages.ts";
import { keepPollingInterval } from "../devices/polling.ts";
import { compareClientSecrets } from "../grants/client-secrets.ts";
import { introspectionAndRevocation } from "../grants/introspection-and-revocation.ts";
import type { ReadOwnToken } from "../grants/own-tokens.ts";
import { browserCookie } from "../http/cookies.ts";
import { handleServerErrors, reportErrors } from "../http/error-answers.ts";
import { splitPath } from "../http/routes.ts";
import { limitHashing, type OnWorkLoad } from "../limits/concurrency-limit.ts";
import { clientSignOut } from "../logout/logout-pages.ts";
import type { ServiceMetrics } from "../metrics/service-metrics.ts";
import { hashPassword } from "../model/credentials.ts";
import { providerPaths } from "../model/paths.ts";
import { keepSessionIds } from "../overrides/sessions.ts";
import { includeSids } from "../overrides/sid-claim.ts";
import { answerForSignedTokens } from "../overrides/signed-tokens.ts";
import { passwordSignIn } from "../sign-in/password-sign-in.ts";
import { signInLinkPages } from "../sign-in/sign-in-link.ts";
import { signInPages } from "../sign-in/sign-in-pages.ts";
import type { OtherProvider } from "./other-provider.ts";
import type { ProviderOptions } from "./provider-options.ts";
import { publishDocuments } from "./published-documents.ts";
import { recordRequest, revokeAndRecord } from "./record-events.ts";
import { recordOutcomes } from "./record-outcomes.ts";

/** Changes the library's models and errors, in any order. */
export function patchLibrary(provider: Provider, options: ProviderOptions): void {
  const { clientSecretKey: key } = options;
  const hashing = hashingLimit("client_secret", options.metrics);

  // Client secrets are stored as hashes.
  compareClientSecrets(provider, { key, hashing });
  // Every token of a session has sid (Back-Channel Logout 1.0).
  includeSids(provider);
  // Sign-ins in several tabs make one session.
  keepSessionIds(provider, { key: options.sessionKey, cookie: browserCookie(options.authUrl) });
  // Errors are logged, and causes are not shown.
  reportErrors(provider, options);
}

/**
 * Uses middleware. The first is the outermost: it sees a request first and its answer last.
 */
export function installMiddleware(
  provider: Provider,
  options: ProviderOptions,
  readOwnToken: ReadOwnToken,
  other: OtherProvider | undefined,
): void {
  const { authUrl, pool, metrics } = options;
  const { signIns } = metrics;
  const hashing = hashingLimit("password", metrics);
  const signIn = passwordSignIn({ ...options, signIns, hashing });
  const otherSignIn = other?.signIn;
  const cookie = browserCookie(authUrl);
  const parts = { ...options, provider, signIns, signIn, otherSignIn, browserCookie: cookie };
  const pages = {
    [providerPaths.interaction]: signInPages({
      ...parts,
      revokeGrant: (grantId) => revokeAndRecord(options, grantId),
    }),
    [providerPaths.signInLink]: signInLinkPages(parts),
    [providerPaths.account]: accountPages({
      ...parts,
      hashPassword: (password) => hashing.run(() => hashPassword(password)),
    }),
    ...other?.pages,
  };
  const tokenActions = introspectionAndRevocation({
    ...options,
    readOwnToken,
    tokenRevoked: (revoked) => recordRequest(pool, { kind: "token_revoked", ...revoked }),
  });

  const middleware = [
    // Metrics and access lines: the answer as it is sent.
    recordOutcomes(metrics.grants),
    // slow_down (RFC 8628 section 3.5).
    keepPollingInterval(),
    // Metadata and keys may be cached.
    publishDocuments(options),
    // Errors of our pages, and faults outside of any route.
    handleServerErrors(options.reportFault),
    // The pages that the library leaves to us.
    servePages(pages),
    // Signing out of one client, and at the other provider.
    clientSignOut(options.pool),
    ...(other ? [other.logout] : []),
    // Revocation (RFC 7009) and introspection (RFC 7662) of JWTs.
    answerForSignedTokens(tokenActions),
  ];
  for (const layer of middleware) provider.use(layer);
}

/** Answers a request for a page. */
type ServePage = (ctx: KoaContextWithOIDC) => Promise<void>;

/** Middleware: serves pages, by their paths without an ID. */
function servePages(pages: Readonly<Record<string, ServePage>>) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    const serve = pages[splitPath(ctx.path)[0]];
    if (serve === undefined) await next();
    else await serve(ctx);
  };
}

/** Each kind of secret has a limit of its own, so that neither waits for the other. */
function hashingLimit(kind: "client_secret" | "password", { hashing }: ServiceMetrics) {
  const show: OnWorkLoad = ({ running, waiting }) => {
    hashing.set({ kind, state: "running" }, running);
    hashing.set({ kind, state: "waiting" }, waiting);
  };
  show({ running: 0, waiting: 0 });
  return limitHashing(kind, show);
}
