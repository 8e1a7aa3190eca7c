/**
 * Clients that act for people (RFC 6749 section 4.1, OpenID Connect): how oidc-provider is set up
 * for them.
 */
import type { Configuration, KoaContextWithOIDC, Account as LibraryAccount } from "oidc-provider";
import { checkRefreshRequest } from "../grants/person-tokens.ts";
import { registeredClient } from "../grants/registered-client.ts";
import { basePathOf } from "../http/routes.ts";
import { lifetimes } from "../model/lifetimes.ts";
import { providerPaths } from "../model/paths.ts";
import { openIdScopes } from "../model/scopes.ts";
import { accountIdOf, subjectOf } from "../model/subjects.ts";
import { interactionPolicy } from "../overrides/library.ts";
import { existingGrant } from "../sign-in/existing-grant.ts";
import type { StoredAccount } from "../store/accounts.ts";
import type { Consent } from "../store/consents.ts";

/** Somebody with an account, as oidc-provider and we see them. */
export interface Person extends LibraryAccount, Omit<StoredAccount, "accountId"> {}

/** What it takes. */
export interface PeopleOptions {
  /** The issuer. */
  authUrl: string;
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
  /** Finds an account by its UUID. */
  findAccount: (accountId: string) => Promise<StoredAccount | undefined>;
  /** Finds what a person has allowed a client, both by UUID. */
  findConsents: (accountId: string, clientId: string) => Promise<Consent[]>;
  /** Called before a refresh token is exchanged; throws what the caller is refused with. */
  checkRefresh: (ctx: KoaContextWithOIDC) => Promise<void>;
}

/** The part of the configuration. */
export function peopleConfiguration(options: PeopleOptions): Configuration {
  const { authUrl, checkRefresh } = options;
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
    findAccount: async (_ctx, subject, shown) => {
      const person = await findPerson(subject, options.findAccount);
      // A code or refresh token may have been under way when the others were removed.
      const { authTime } = (shown ?? {}) as { authTime?: number };
      return person && shown && isSignedOut(person, authTime) ? undefined : person;
    },
    loadExistingGrant: (ctx) =>
      existingGrant(ctx, (subject, clientId) =>
        options.findConsents(accountIdOf(subject) ?? "", clientId),
      ),
    // One without the scope offline_access ends with the session: oidc-provider sees to that.
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: async (ctx) => {
      checkRefreshRequest(ctx);
      await checkRefresh(ctx);
      return true;
    },
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
    claims: () => ({
      sub: subject,
      preferred_username: loginName,
      ...(name && { name }),
    }),
  };
}

/** With a prefix, no other host and no page without TLS can plant a cookie (RFC 6265bis). */
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

/** The usual reasons to ask people something, and two of ours. */
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

/** Whether the account has been removed, or signed out everywhere, since the person signed in. */
function isSignInOver({ oidc: { session, account } }: KoaContextWithOIDC): boolean {
  if (session?.accountId === undefined) return false;
  return account === undefined || isSignedOut(account as Person, session.loginTs);
}

/** @param signedInAt Unix time in seconds. */
function isSignedOut({ signedOutAt }: Person, signedInAt = 0): boolean {
  return signedInAt < (signedOutAt ?? 0);
}
