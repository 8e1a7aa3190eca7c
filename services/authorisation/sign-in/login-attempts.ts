/**
 * Limits failed sign-ins: from one address, and to one account. A device on which a person has
 * signed in before has a limit of its own for that account instead, so that strangers who try
 * passwords cannot lock the person out ("device cookies", as OWASP describes them).
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { KoaContextWithOIDC } from "oidc-provider";
import type { RateLimiter } from "../limits/rate-limiter.ts";
import { normaliseLoginName } from "../model/credentials.ts";

/** How often sign-ins may fail: from one address, to one account, and on one known device. */
interface LoginRates {
  address: RateLimiter;
  account: RateLimiter;
  device: RateLimiter;
}

/** Whether a sign-in may be tried. */
interface Attempt {
  /** 0, or the seconds to wait. */
  waitSeconds: number;
  /** The attempt has succeeded, or failed for another reason than a wrong password. */
  refund(): Promise<void>;
}

export interface LoginAttempts {
  /** Counts an attempt. */
  begin(ctx: KoaContextWithOIDC, loginName: string): Promise<Attempt>;
  /** From now on the browser's device is known to the account. */
  remember(ctx: KoaContextWithOIDC, loginName: string): void;
}

interface LimitOptions {
  rates: LoginRates;
  /** Authenticates the cookies. All processes share it. */
  key: Buffer;
  cookie: { name: string; path: string };
}

/** A year from the last sign-in. */
const rememberedSeconds = 365 * 24 * 3600;

/** The most accounts that a device remembers: the last ones. */
const accountsMax = 4;

export function limitLogins({ rates, key, cookie }: LimitOptions): LoginAttempts {
  const entriesOf = (ctx: KoaContextWithOIDC) =>
    (ctx.cookies.get(cookie.name) ?? "").split("~", accountsMax).filter((entry) => entry !== "");
  const deviceOf = (ctx: KoaContextWithOIDC, account: string) => {
    const entry = entriesOf(ctx).find((each) => isOf(account, each, key));
    return entry === undefined ? undefined : { entry, id: entry.split(".")[1] ?? "" };
  };

  return {
    async begin(ctx, loginName) {
      const account = accountKey(loginName);
      const device = deviceOf(ctx, account);
      const counted: [RateLimiter, string][] =
        device === undefined
          ? [
              [rates.address, ctx.ip],
              [rates.account, account],
            ]
          : [[rates.device, device.id]];
      let waitSeconds = 0;
      for (const [limiter, caller] of counted) waitSeconds ||= await limiter.consume(caller);
      return {
        waitSeconds,
        async refund() {
          for (const [limiter, caller] of counted) await limiter.refund(caller);
        },
      };
    },
    remember(ctx, loginName) {
      const account = accountKey(loginName);
      const device = deviceOf(ctx, account);
      const issuedAt = Math.floor(Date.now() / 1000);
      const signed = `${issuedAt}.${device?.id ?? randomBytes(16).toString("base64url")}`;
      const others = entriesOf(ctx).filter((entry) => entry !== device?.entry);
      const entries = [`${signed}.${macOf(account, signed, key)}`, ...others];
      ctx.cookies.set(cookie.name, entries.slice(0, accountsMax).join("~"), {
        path: cookie.path,
        maxAge: rememberedSeconds * 1000,
        httpOnly: true,
        sameSite: "lax",
      });
    },
  };
}

/** Different spellings of a login name count as one account. */
function accountKey(loginName: string): string {
  return normaliseLoginName(loginName) ?? "";
}

/** Whether an entry `issuedAt.id.mac` was made for an account, and not too long ago. */
function isOf(account: string, entry: string, key: Buffer): boolean {
  const [issuedAt = "", id = "", mac = ""] = entry.split(".");
  const expected = Buffer.from(macOf(account, `${issuedAt}.${id}`, key));
  const given = Buffer.from(mac);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  return Number(issuedAt) > Date.now() / 1000 - rememberedSeconds;
}

function macOf(account: string, signed: string, key: Buffer): string {
  return createHmac("sha256", key).update(`${signed}.${account}`).digest("base64url");
}
