/** The configuration for clients that act for people (RFC 6749 section 4.1, OpenID Connect). */
import type { Configuration } from "oidc-provider";
import type pg from "pg";
import type { Person } from "../grants/person-tokens.ts";
import { browserCookie, ensureBrowserCookie, providerCookies } from "../http/cookies.ts";
import { type Lifetimes, providerLifetimes } from "../model/lifetimes.ts";
import { basePathOf, providerPaths } from "../model/paths.ts";
import { openIdScopes } from "../model/scopes.ts";
import { accountIdOf, subjectOf } from "../model/subjects.ts";
import { existingGrant } from "../sign-in/existing-grant.ts";
import { isSignedOut, type StoredAccount } from "../store/accounts.ts";
import { interactionPolicy, isOfOtherOrganisation } from "./interaction-policy.ts";

/** What the configuration needs. */
interface EndUserOptions {
  /** The issuer. */
  authUrl: string;
  /** Finds an account by its UUID. */
  findAccount: (accountId: string) => Promise<StoredAccount | undefined>;
  pool: pg.Pool;
  lifetimes: Lifetimes;
}

/** This part of the provider's configuration. */
export function endUserConfiguration(options: EndUserOptions): Configuration {
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
    cookies: providerCookies(authUrl),
    interactions: {
      policy: interactionPolicy(),
      url(ctx, { uid, prompt }) {
        if (prompt.name === "login") ensureBrowserCookie(ctx, browserCookie(authUrl));
        return `${basePathOf(authUrl)}${providerPaths.interaction}/${uid}`;
      },
    },
    findAccount: async (ctx, subject, token) => {
      const person = await findPerson(subject, options.findAccount);
      if (person === undefined || token === undefined) return person;
      // A code or refresh token may have been issued while the person was signed out, or before the
      // client was limited to its own organisation.
      const { authTime, iat } = token as { authTime?: number; iat?: number };
      const isOver =
        isSignedOut(person, authTime ?? iat) || isOfOtherOrganisation(person, ctx.oidc.client);
      return isOver ? undefined : person;
    },
    loadExistingGrant: (ctx) => existingGrant(ctx, options),
    // Without the scope offline_access, oidc-provider ends the refresh token with the session.
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
  };
}

async function findPerson(
  subject: string,
  findAccount: EndUserOptions["findAccount"],
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
