/** Checks a login name and a password, within the limits of failed sign-ins. */
import type { Counter } from "@prometheus-io/client";
import type { Logger } from "@stowage/process";
import type { KoaContextWithOIDC } from "oidc-provider";
import type pg from "pg";
import { type ConcurrencyLimit, NameLimit } from "../limits/concurrency-limit.ts";
import { ResponseTimePadding } from "../limits/response-time-padding.ts";
import { normaliseLoginName, normalisePassword } from "../model/credentials.ts";
import { matchesSecret } from "../model/scrypt-hash.ts";
import { type AccountWithPassword, findAccountByLoginName } from "../store/accounts.ts";
import { recordFailedSignIn } from "../store/audit-events.ts";
import type { LoginAttempts } from "./login-attempts.ts";

interface SignInOptions {
  pool: pg.Pool;
  /** Limits the comparisons of passwords. */
  hashing: ConcurrencyLimit;
  attempts: LoginAttempts;
  /** Counts the forms that people submit. */
  signIns: Counter<"result">;
  logger: Logger;
}

/** The account, and since when the sign-in counts; or why it failed, and the status to answer. */
type SignInOutcome =
  | { account: AccountWithPassword; ts: number }
  | { problem: string; status: number };

/** Signs a person in by a password. */
export type PasswordSignIn = (
  ctx: KoaContextWithOIDC,
  claim: Claim & { clientId?: string },
) => Promise<SignInOutcome>;

export function passwordSignIn(options: SignInOptions): PasswordSignIn {
  const { pool, attempts, signIns, logger } = options;
  const authenticate = authenticator(options);

  return async (ctx, { clientId, ...claim }) => {
    const { loginName } = claim;
    // Counted before the password is compared, so that concurrent tries do not exceed the limit.
    const { waitSeconds, refund } = await attempts.begin(ctx, loginName);
    if (waitSeconds > 0) {
      ctx.set("Retry-After", String(waitSeconds));
      signIns.inc({ result: "rate_limited" });
      logger.info({ address: ctx.ip }, "refused a sign-in: too many attempts");
      const problem = `There were too many attempts. Try again in ${waitSeconds} seconds.`;
      return { problem, status: 429 };
    }
    // The sign-in counts from now, not from the end of the comparison: the password may be
    // changed meanwhile (isSignInOver in provider/interaction-policy.ts).
    const ts = Math.floor(Date.now() / 1000);
    const account = await authenticate(claim).catch(async (error) => {
      // An outage does not count as a wrong password.
      await refund();
      throw error;
    });
    if (account === undefined) {
      signIns.inc({ result: "refused" });
      await recordFailedSignIn(pool, {
        loginName: normaliseLoginName(loginName),
        ...(clientId !== undefined && { clientId }),
        address: ctx.ip,
      });
      logger.info({ address: ctx.ip, clientId }, "refused a sign-in");
      return { problem: "The login name or the password is wrong.", status: 400 };
    }
    signIns.inc({ result: "accepted" });
    await refund();
    attempts.remember(ctx, loginName);
    return { account, ts };
  };
}

interface Claim {
  loginName: string;
  password: string;
  /** Accounts of other organisations count as unknown. Undefined: those of all organisations. */
  organisationId: string | undefined;
}

/** Failed sign-ins take this long, or a multiple. Comparing a password takes some 200 ms. */
const failureMs = 500;

/**
 * Makes a function that checks a login name and a password. A failure takes as long for unknown
 * names as for known ones. It rejects with a BusyError when too many comparisons wait, also for
 * unknown names. Attempts with one name wait for each other: otherwise, many concurrent attempts
 * would take longer than one, but only for a known name.
 */
function authenticator({ pool, hashing }: Pick<SignInOptions, "pool" | "hashing">) {
  const padding = new ResponseTimePadding(hashing, failureMs);
  const names = new NameLimit();

  return async ({ loginName, password, organisationId }: Claim) => {
    const startedAt = performance.now();
    const name = normaliseLoginName(loginName);
    const found = name === undefined ? undefined : await findAccountByLoginName(pool, name);
    const account =
      organisationId === undefined || found?.organisationId === organisationId ? found : undefined;
    const isRight = await names.run(name ?? "", async () => {
      if (account === undefined) return await padding.compareNothing();
      const compare = () => matchesSecret(normalisePassword(password), account.passwordHash);
      return await padding.compare(compare);
    });
    if (isRight) return account;
    await padding.pad(startedAt);
    return undefined;
  };
}
