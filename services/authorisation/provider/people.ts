/** The configuration for clients that act for people (RFC 6749 section 4.1, OpenID Connect). */
import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import { checkRefreshRequest, type Person } from "../grants/person-tokens.ts";
import { registeredClient } from "../grants/registered-client.ts";
import { lifetimes } from "../model/lifetimes.ts";
import { basePathOf, providerPaths } from "../model/paths.ts";
import { openIdScopes } from "../model/scopes.ts";
import { accountIdOf, subjectOf } from "../model/subjects.ts";
import { interactionPolicy } from "../overrides/library.ts";
import { rotateAfter } from "../overrides/refresh-check.ts";
import { existingGrant } from "../sign-in/existing-grant.ts";
import type { StoredAccount } from "../store/accounts.ts";
import type { Consent } from "../store/consents.ts";

/** What the configuration needs. */
interface PeopleOptions {
  /** The issuer. */
  authUrl: string;
  /** Finds an account by its UUID. */
  findAccount: (accountId: string) => Promise<StoredAccount | undefined>;
  /** Finds what a person has allowed a client, both by UUID. */
  findConsents: (accountId: string, clientId: string) => Promise<Consent[]>;
  /** Counts a refresh; throws at the limit. */
  countRefresh: (ctx: KoaContextWithOIDC) => Promise<void>;
}

/** This part of the provider's configuration. */
export function peopleConfiguration(options: PeopleOptions): Configuration {
  const { authUrl, countRefresh } = options;
  return {
    responseTypes: ["code"],
    scopes: openIdScopes,
    claims: { openid: ["sub"], profile: ["name", "preferred_username"] },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    clockTolerance: 0,
    ttl: lifetimes,
    cookies: cookiesFor(authUrl),
    interactions: {
      policy: policy(),
      url: (_ctx, { uid }) => `${basePathOf(authUrl)}${providerPaths.interaction}/${uid}`,
    },
    findAccount: async (_ctx, subject, token) => {
      const person = await findPerson(subject, options.findAccount);
      // A code or refresh token may have been issued while the person was signed out.
      const { authTime } = (token ?? {}) as { authTime?: number };
      return person && token && isSignedOut(person, authTime) ? undefined : person;
    },
    loadExistingGrant: (ctx) =>
      existingGrant(ctx, (subject, clientId) =>
        options.findConsents(accountIdOf(subject) ?? "", clientId),
      ),
    // Without the scope offline_access, oidc-provider ends the refresh token with the session.
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: rotateAfter(async (ctx) => {
      checkRefreshRequest(ctx);
      await countRefresh(ctx);
    }),
  };
}

async function findPerson(
  subject: string,
  findAccount: PeopleOptions["findAccount"],
): Promise<Person | undefined> {
  const accountId = accountIdOf(subject);
  const account = accountId === undefined ? undefined : await findAccount(accountId);
  if (account === undefined) return undefined;
  const { loginName, name } = account;
  return {
    ...account,
    accountId: subjectOf(account.accountId),
    claims: () => ({ sub: subject, preferred_username: loginName, ...(name && { name }) }),
  };
}

/** The prefixes keep other hosts, and pages without TLS, from setting our cookies (RFC 6265bis). */
function cookiesFor(authUrl: string): Configuration["cookies"] {
  const isSecure = authUrl.startsWith("https:");
  const path = basePathOf(authUrl) || "/";
  const prefix = isSecure ? "__Secure-" : "";
  const sessionPrefix = isSecure && path === "/" ? "__Host-" : prefix;
  return {
    names: {
      session: `${sessionPrefix}stowage_session`,
      interaction: `${prefix}stowage_interaction`,
      resume: `${prefix}stowage_resume`,
    },
    long: { httpOnly: true, sameSite: "lax", path },
    short: { httpOnly: true, sameSite: "lax" },
  };
}

/** The library's reasons to ask a person to sign in, and two of ours. */
function policy() {
  const prompts = interactionPolicy.base();
  const { Check } = interactionPolicy;
  const checks = prompts.get("login")?.checks;
  checks?.add(
    new Check(
      "other_organisation",
      "the client is for people of another organisation",
      "login_required",
      ({ oidc }) => {
        if (oidc.account === undefined || oidc.client === undefined) return false;
        const { organisationId } = registeredClient(oidc.client);
        return (oidc.account as Person).organisationId !== organisationId;
      },
    ),
  );
  checks?.add(new Check("signed_out", "the person was signed out", "login_required", isSignInOver));
  return prompts;
}

/** Whether the account was removed, or signed out everywhere, after the sign-in. */
function isSignInOver({ oidc: { session, account } }: KoaContextWithOIDC): boolean {
  if (session?.accountId === undefined) return false;
  return account === undefined || isSignedOut(account as Person, session.loginTs);
}

/** @param signedInAt Unix time in seconds */
function isSignedOut({ signedOutAt }: Person, signedInAt = 0): boolean {
  return signedInAt < (signedOutAt ?? 0);
}
