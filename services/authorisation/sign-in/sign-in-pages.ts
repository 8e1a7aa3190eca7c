/** The pages for people, put together. */
import type { Logger } from "@stowage/process";
import type Provider from "oidc-provider";
import type pg from "pg";
import type { BoundedWork } from "../provider/bounded-work.ts";
import type { RequestRate } from "../server/request-rate.ts";
import { findAccount, findAccountByLoginName } from "../store/accounts.ts";
import { storeConsents } from "../store/consents.ts";
import { authenticator } from "./authenticate.ts";
import { consentStep } from "./consent-step.ts";
import { interactionPages } from "./interaction-pages.ts";
import { loginStep } from "./login-step.ts";

/** How often one address, and anybody for one account, may fail to sign in. */
export interface LoginRates {
  address: RequestRate;
  account: RequestRate;
}

/** Makes the middleware. */
export function signInPages(options: {
  provider: Provider;
  /** The issuer. */
  authUrl: string;
  pool: pg.Pool;
  hashing: BoundedWork;
  loginRates: LoginRates;
  logger: Logger;
}) {
  const { pool, hashing, loginRates: rates } = options;
  const authenticate = authenticator({
    findAccountByLoginName: (loginName) => findAccountByLoginName(pool, loginName),
    hashing,
  });
  const steps = {
    login: loginStep({ ...options, authenticate, rates }),
    consent: consentStep({
      ...options,
      findAccount: (accountId) => findAccount(pool, accountId),
      storeConsents: (...consents) => storeConsents(pool, ...consents),
    }),
  };
  return interactionPages({ ...options, steps });
}
