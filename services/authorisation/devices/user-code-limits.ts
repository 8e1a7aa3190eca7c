/** Limits how often people may enter wrong user codes (RFC 8628 section 5.1). */
import type Provider from "oidc-provider";
import { BusyError } from "../limits/busy-error.ts";
import type { RateLimiter } from "../limits/rate-limiter.ts";
import { currentContext } from "../overrides/library.ts";

/** How many wrong codes are allowed: from one address, and in one session of a browser. */
export interface UserCodeRates {
  address: RateLimiter;
  session: RateLimiter;
}

/** Wrong codes in one session in a minute. People mistype a code once or twice. */
export const sessionUserCodesPerMinuteMax = 5;

/**
 * Limits the search for user codes. A code counts before it is looked up, so that concurrent tries
 * do not exceed the limit; a right one is refunded.
 */
export function limitUserCodes(provider: Provider, { address, session }: UserCodeRates): void {
  const { DeviceCode } = provider;
  const { findByUserCode } = DeviceCode;
  Object.assign(DeviceCode, {
    async findByUserCode(...parameters: Parameters<typeof findByUserCode>) {
      const ctx = currentContext();
      if (ctx === undefined) throw new Error("Cannot search for a user code outside of a request");
      const uid = String(ctx.oidc.session?.uid);
      const waitSeconds = (await address.consume(ctx.ip)) || (await session.consume(uid));
      if (waitSeconds > 0) throw new BusyError(429, "too many wrong user codes", waitSeconds);
      const found = await findByUserCode.apply(DeviceCode, parameters);
      if (found !== undefined) {
        await address.refund(ctx.ip);
        await session.refund(uid);
      }
      return found;
    },
  });
}
