/** The account of a person whom the provider has signed in. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { normaliseLoginName } from "../model/credentials.ts";
import { subjectOf } from "../model/subjects.ts";
import { findAccount, isSignedOut, type StoredAccount } from "../store/accounts.ts";
import { recordEvent } from "../store/audit-events.ts";
import { signOutIdentity, storeProviderAccount } from "../store/provider-accounts.ts";
import { findProviderGroups } from "../store/provider-groups.ts";
import { NoAccessError, readGroups, rightsOf } from "./groups.ts";
import type { IdTokenClaims } from "./read-token.ts";

/** OpenID Connect Core section 2. */
const subjectCharactersMax = 255;
/** As the database stores them; a login name may get a suffix. */
const nameCharactersMax = 128;
const loginNameCharactersMax = 119;
const emailCharactersMax = 254;

interface SignInOptions {
  pool: pg.Pool;
  /** The claim that has the groups. */
  groupsClaim: string;
  /** Since when the sign-in counts, in Unix seconds. */
  signedInAt: number;
  /** The IP address of the caller. */
  address: string;
}

/**
 * Finds or makes the account of the person, with the rights that the groups give now, and records
 * that in the audit log.
 *
 * @param claims of a valid ID token
 * @throws {NoAccessError} if the person may not use this service. Without any right, what the
 *   person had ends.
 */
export async function accountOf(
  claims: IdTokenClaims,
  options: SignInOptions,
): Promise<StoredAccount> {
  const { pool, address } = options;
  try {
    const { account, details } = await accountWithRights(claims, options);
    const subject = subjectOf(account.accountId);
    await recordEvent(pool, { kind: "provider_sign_in", subject, address, details });
    return account;
  } catch (error) {
    if (error instanceof NoAccessError) {
      const details = { providerSubject: claims.sub, reason: error.message };
      await recordEvent(pool, { kind: "sign_in_failed", address, details });
    }
    throw error;
  }
}

async function accountWithRights(
  claims: IdTokenClaims,
  { pool, groupsClaim, signedInAt }: SignInOptions,
) {
  const identity = { issuer: claims.iss, subject: claims.sub };
  if (identity.subject.length > subjectCharactersMax) {
    throw new NoAccessError("Your account there has too long an ID.", "the claim sub is too long");
  }
  const groups = await findProviderGroups(pool, readGroups(claims, groupsClaim));
  if (groups.length === 0) await signOutIdentity(pool, identity);
  const rights = rightsOf(groups);
  const newId = randomUUID();
  const account = { ...identity, ...rights, ...profileOf(claims, newId), accountId: newId };
  const accountId = await storeProviderAccount(pool, account);
  const stored = await findAccount(pool, accountId);
  // A token may be older than the command that signed the person out.
  if (stored === undefined || isSignedOut(stored, signedInAt)) {
    throw new NoAccessError(
      "Your account is disabled, or you were signed out a moment ago.",
      `account ${accountId} is disabled or signed out`,
    );
  }
  const details = { ...rights, groups: groups.map(({ groupName }) => groupName) };
  return { account: stored, details };
}

/** What is shown of the person. None of it identifies anybody. */
function profileOf(
  { sub, name, preferred_username: userName, email }: IdTokenClaims,
  accountId: string,
) {
  const address = textOf(email, emailCharactersMax);
  const names = [userName, email, sub].map((each) =>
    normaliseLoginName(textOf(each, loginNameCharactersMax)),
  );
  return {
    loginName: names.find((each) => each !== undefined) ?? accountId,
    name: textOf(name, nameCharactersMax),
    email: /^[^\s@]+@[^\s@]+$/.test(address) ? address : null,
  };
}

/** A claim as text without control characters; empty if it is none, or too long. */
function textOf(claim: unknown, charactersMax: number): string {
  const text = typeof claim === "string" ? claim.replaceAll(/[\p{Cc}\p{Cs}]/gu, "") : "";
  return [...text].length <= charactersMax ? text : "";
}
