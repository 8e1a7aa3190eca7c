/** Limits how often people may enter wrong user codes (RFC 8628 section 5.1). */
import type { KoaContextWithOIDC } from "oidc-provider";
import { BusyError } from "../limits/busy-error.ts";
import type { RateLimiter } from "../limits/rate-limiter.ts";

/** How many wrong codes are allowed: from one address, and in one session of a browser. */
export interface UserCodeRates {
  address: RateLimiter;
  session: RateLimiter;
}

/** Wrong codes in one session in a minute. People mistype a code once or twice. */
export const sessionUserCodesPerMinuteMax = 5;

/**
 * Limits the search for a user code. A code counts before it is looked up, so that concurrent tries
 * do not exceed the limit; a right one is refunded.
 */
export async function limitUserCodes<Found>(
  ctx: KoaContextWithOIDC,
  { address, session }: UserCodeRates,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const uid = String(ctx.oidc.session?.uid);
  const waitSeconds = (await address.consume(ctx.ip)) || (await session.consume(uid));
  if (waitSeconds > 0) throw new BusyError(429, "too many wrong user codes", waitSeconds);
  const found = await find();
  if (found !== undefined) {
    await address.refund(ctx.ip);
    await session.refund(uid);
  }
  return found;
}
