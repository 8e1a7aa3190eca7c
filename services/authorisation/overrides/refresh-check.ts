/**
 * Override: a check before a refresh token is used up.
 *
 * oidc-provider uses up the refresh token before it checks resources and authorization details. A
 * client that asks for too much by mistake would lose its token, and count as a thief when it tries
 * again. The library asks `rotateRefreshToken` before, so the check takes place there.
 */
import type { Configuration, KoaContextWithOIDC } from "oidc-provider";

/** For `rotateRefreshToken`: always rotates, after a check that throws to refuse the request. */
export function rotateAfter(
  check: (ctx: KoaContextWithOIDC) => Promise<void>,
): NonNullable<Configuration["rotateRefreshToken"]> {
  return async (ctx) => {
    await check(ctx);
    return true;
  };
}
