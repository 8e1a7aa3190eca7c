/** How often a device may ask whether its user has decided (RFC 8628 sections 3.2 and 3.5). */
import type { KoaContextWithOIDC } from "oidc-provider";
import { RateLimiterMemory } from "rate-limiter-flexible";

const intervalSeconds = 5;

/** Requests of a device that keeps the interval may still arrive closer together. */
const toleranceSeconds = 1;

const slowDown = {
  error: "slow_down",
  error_description: `the device must wait ${intervalSeconds} seconds longer between two requests`,
};

/**
 * Middleware: names the interval, and tells devices that ask more often to slow down. oidc-provider
 * does neither. Each process counts for itself. Only devices with a valid code get that far.
 */
export function keepPollingInterval() {
  const polls = new RateLimiterMemory({ points: 1, duration: intervalSeconds - toleranceSeconds });

  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    const body = ctx.body as Record<string, unknown> | undefined;
    if (ctx.oidc?.route === "device_authorization" && body?.device_code !== undefined) {
      ctx.body = { ...body, interval: intervalSeconds };
    }
    if (ctx.oidc?.route === "token" && body?.error === "authorization_pending") {
      const isTooEarly = await polls.consume(String(ctx.oidc.params?.device_code)).then(
        () => false,
        () => true,
      );
      if (isTooEarly) ctx.body = slowDown;
    }
  };
}
