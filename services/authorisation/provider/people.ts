/** The configuration for clients that act for people (RFC 6749 section 4.1, OpenID Connect). */
import type { Client, Configuration, KoaContextWithOIDC } from "oidc-provider";
import type pg from "pg";
import type { Person } from "../grants/person-tokens.ts";
import { registeredClient } from "../grants/registered-client.ts";
import { type Lifetimes, providerLifetimes } from "../model/lifetimes.ts";
import { basePathOf, providerPaths } from "../model/paths.ts";
import { openIdScopes } from "../model/scopes.ts";
import { accountIdOf, subjectOf } from "../model/subjects.ts";
import { interactionPolicy } from "../overrides/library.ts";
import { type BrowserCookie, nameBrowser } from "../overrides/shared-sign-ins.ts";
import { existingGrant } from "../sign-in/existing-grant.ts";
import { isSignedOut, type StoredAccount } from "../store/accounts.ts";

/** What the configuration needs. */
interface PeopleOptions {
  /** The issuer. */
  authUrl: string;
  /** Finds an account by its UUID. */
  findAccount: (accountId: string) => Promise<StoredAccount | undefined>;
  pool: pg.Pool;
  lifetimes: Lifetimes;
}

/** This part of the provider's configuration. */
export function peopleConfiguration(options: PeopleOptions): Configuration {
  const { authUrl, lifetimes } = options;
  return {
    responseTypes: ["code"],
    scopes: openIdScopes,
    claims: {
      openid: ["sub"],
      profile: ["name", "preferred_username"],
      email: ["email"],
    },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    clockTolerance: 0,
    ttl: providerLifetimes(lifetimes),
    cookies: cookiesFor(authUrl),
    interactions: {
      policy: policy(),
      url(ctx, { uid, prompt }) {
        if (prompt.name === "login") nameBrowser(ctx, browserCookie(authUrl));
        return `${basePathOf(authUrl)}${providerPaths.interaction}/${uid}`;
      },
    },
    findAccount: async (ctx, subject, token) => {
      const person = await findPerson(subject, options.findAccount);
      if (person === undefined || token === undefined) return person;
      // A code or refresh token may have been issued while the person was signed out, or before the
      // client was limited to its own organisation.
      const { authTime } = token as { authTime?: number };
      const isOver = isSignedOut(person, authTime) || isOfOther(person, ctx.oidc.client);
      return isOver ? undefined : person;
    },
    loadExistingGrant: (ctx) => existingGrant(ctx, options.pool),
    // Without the scope offline_access, oidc-provider ends the refresh token with the session.
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    // See overrides/token-consumption.ts.
    rotateRefreshToken: true,
  };
}

async function findPerson(
  subject: string,
  findAccount: PeopleOptions["findAccount"],
): Promise<Person | undefined> {
  const accountId = accountIdOf(subject);
  const account = accountId === undefined ? undefined : await findAccount(accountId);
  if (account === undefined) return undefined;
  const { loginName, name, email } = account;
  return {
    ...account,
    accountId: subjectOf(account.accountId),
    claims: () => ({
      sub: subject,
      preferred_username: loginName,
      ...(name && { name }),
      ...(email !== null && { email }),
    }),
  };
}

function cookiesFor(authUrl: string): Configuration["cookies"] {
  const { path, prefix, hostPrefix, suffix } = cookieScope(authUrl);
  return {
    names: {
      session: `${hostPrefix}stowage_session${suffix}`,
      interaction: `${prefix}stowage_interaction${suffix}`,
      resume: `${prefix}stowage_resume${suffix}`,
    },
    long: { httpOnly: true, sameSite: "lax", path },
    short: { httpOnly: true, sameSite: "lax" },
  };
}

/** The cookie for overrides/shared-sign-ins.ts. */
export function browserCookie(authUrl: string): BrowserCookie {
  const { path, hostPrefix, suffix } = cookieScope(authUrl);
  return { name: `${hostPrefix}stowage_browser${suffix}`, path };
}

/** The cookie for sign-in/login-attempts.ts. */
export function knownDeviceCookie(authUrl: string): { name: string; path: string } {
  const { path, hostPrefix, suffix } = cookieScope(authUrl);
  return { name: `${hostPrefix}stowage_device${suffix}`, path };
}

/** The prefixes keep other hosts, and pages without TLS, from setting our cookies (RFC 6265bis). */
function cookieScope(authUrl: string) {
  const isSecure = authUrl.startsWith("https:");
  const { port } = new URL(authUrl);
  // Browsers do not separate cookies by port.
  const suffix = port === "" ? "" : `_${port}`;
  const path = basePathOf(authUrl) || "/";
  const prefix = isSecure ? "__Secure-" : "";
  return { path, prefix, suffix, hostPrefix: isSecure && path === "/" ? "__Host-" : prefix };
}

/** The library's reasons to ask a person something, two of ours to sign in, and one prompt. */
function policy() {
  const prompts = interactionPolicy.base();
  const { Check, Prompt } = interactionPolicy;
  prompts.add(new Prompt({ name: "select_account", requestable: true }), 0);
  const checks = prompts.get("login")?.checks;
  checks?.add(
    new Check(
      "other_organisation",
      "the client is for people of another organisation",
      "login_required",
      ({ oidc }) => {
        if (oidc.account === undefined) return false;
        return isOfOther(oidc.account as Person, oidc.client);
      },
    ),
  );
  checks?.add(new Check("signed_out", "the person was signed out", "login_required", isSignInOver));
  // A first-party client only limits itself with authorization details.
  const details = prompts.get("consent")?.checks.get("rar_prompt");
  if (details !== undefined) {
    const ask = details.check;
    details.check = (ctx) => !registeredClient(ctx.oidc.client as never).isFirstParty && ask(ctx);
  }
  return prompts;
}

/** Whether a person belongs to an organisation that the client is not for. */
function isOfOther(person: Person, client: Client | undefined): boolean {
  if (client === undefined) return false;
  const { organisationId, isForAnyOrganisation } = registeredClient(client);
  return !isForAnyOrganisation && person.organisationId !== organisationId;
}

/** Whether the account was removed, or signed out everywhere, after the sign-in. */
function isSignInOver({ oidc: { session, account } }: KoaContextWithOIDC): boolean {
  if (session?.accountId === undefined) return false;
  return account === undefined || isSignedOut(account as Person, session.loginTs);
}
