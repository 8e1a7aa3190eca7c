/** How long tokens, sessions and grants are valid. */
import type { Configuration, RefreshToken, Session } from "oidc-provider";

/** The lifetime of an access token. */
export const accessTokenLifetimeSeconds = 3600;

/** The same with the minute that a resource server may allow for clocks that differ. */
export const acceptedSecondsMax = accessTokenLifetimeSeconds + 60;

/** How long all tokens of a subject stay revoked: a day, so that clocks may differ. */
export const subjectRevokedSeconds = 24 * 3600;

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Without a request, and after the sign-in. */
const sessionIdle = 14 * day;
const sessionMax = 30 * day;

/** Without a refresh, and after the sign-in. */
const refreshTokenIdle = 14 * day;
const refreshTokenMax = 90 * day;

/** Lifetimes in seconds, for the provider's configuration. */
export const lifetimes: NonNullable<Configuration["ttl"]> = {
  AccessToken: accessTokenLifetimeSeconds,
  ClientCredentials: accessTokenLifetimeSeconds,
  IdToken: accessTokenLifetimeSeconds,
  AuthorizationCode: minute,
  // A page may stay open for this long before the person signs in.
  Interaction: hour,
  // Everybody can make sessions in which nobody is signed in; they last as long as a page.
  Session: (_ctx, { accountId, loginTs }: Session) =>
    accountId === undefined ? hour : within(sessionIdle, sessionMax, loginTs),
  RefreshToken: (_ctx, token) =>
    within(refreshTokenIdle, refreshTokenMax, (token as RefreshToken & { iiat: number }).iiat),
  // Longer than anything that rests on it.
  Grant: sessionMax + refreshTokenMax + day,
};

/** The time until `since + max`, at most `idle`. At least 1, since 0 would mean for ever. */
function within(idle: number, max: number, since: number | undefined): number {
  const now = Math.floor(Date.now() / 1000);
  return Math.max(1, Math.min(idle, (since ?? now) + max - now));
}
