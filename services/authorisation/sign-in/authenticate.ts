/** Checks a login name and a password, in a time that tells nothing of which names there are. */
import { randomUUID } from "node:crypto";
import type { BoundedWork } from "../limits/bounded-work.ts";
import { hashPassword, normaliseLoginName, normalisePassword } from "../model/credentials.ts";
import { matchesSecret } from "../model/scrypt-hash.ts";
import type { Account } from "../store/accounts.ts";

/** What it takes. */
export interface AuthenticateOptions {
  findAccountByLoginName: (
    loginName: string,
  ) => Promise<(Account & { passwordHash: string }) | undefined>;
  /** In which hashes are compared. */
  hashing: BoundedWork;
}

/** What somebody claims. */
export interface Claim {
  loginName: string;
  password: string;
  /** Whose people are let in; those of others are treated like nobody. */
  organisationId: string;
}

/** Gives the account; undefined when name, password or organisation is wrong, whichever it is. */
export type Authenticate = (claim: Claim) => Promise<Account | undefined>;

/** Makes an {@link Authenticate}. It rejects with a BusyError when too many are at it. */
export function authenticator({ findAccountByLoginName, hashing }: AuthenticateOptions) {
  const decoyHash = hashPassword(randomUUID());

  return async ({ loginName, password, organisationId }: Claim): Promise<Account | undefined> => {
    const name = normaliseLoginName(loginName);
    const found = name === undefined ? undefined : await findAccountByLoginName(name);
    const account = found?.organisationId === organisationId ? found : undefined;
    const hash = account?.passwordHash ?? (await decoyHash);
    const matches = await hashing(() => matchesSecret(normalisePassword(password), hash));
    return matches ? account : undefined;
  };
}
