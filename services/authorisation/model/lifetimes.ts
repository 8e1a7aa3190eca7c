/** How long access tokens are good for, and what must last as long as they do. */
import type { Configuration, RefreshToken, Session } from "oidc-provider";

/** From when a token is issued. */
export const accessTokenLifetimeSeconds = 3600;

/** The same with the minute that a resource server may allow for clocks. */
export const acceptedSecondsMax = accessTokenLifetimeSeconds + 60;

/** How long a subject's tokens stay revoked: kept a day, so that no clock makes it too short. */
export const subjectRevokedSeconds = 24 * 3600;

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Signed in without doing anything, and signed in at all. */
const sessionIdle = 14 * day;
const sessionMax = 30 * day;

/** Not used, and counted from when the person signed in for it. */
const refreshTokenIdle = 14 * day;
const refreshTokenMax = 90 * day;

/** For the provider's configuration. */
export const lifetimes: NonNullable<Configuration["ttl"]> = {
  AccessToken: accessTokenLifetimeSeconds,
  ClientCredentials: accessTokenLifetimeSeconds,
  IdToken: accessTokenLifetimeSeconds,
  AuthorizationCode: minute,
  // As long as a page may stay open before the person signs in.
  Interaction: hour,
  // Of nobody: anybody can have as many as they ask for, and none is needed longer than its page.
  Session: (_ctx, { accountId, loginTs }: Session) =>
    accountId === undefined ? hour : within(sessionIdle, sessionMax, loginTs),
  RefreshToken: (_ctx, token) =>
    within(refreshTokenIdle, refreshTokenMax, (token as RefreshToken & { iiat: number }).iiat),
  // Longer than anything that comes of it can last.
  Grant: sessionMax + refreshTokenMax + day,
};

/** What is left until `max` after a Unix time, at most `idle`; never 0, which would be for ever. */
function within(idle: number, max: number, since: number | undefined): number {
  const now = Math.floor(Date.now() / 1000);
  return Math.max(1, Math.min(idle, (since ?? now) + max - now));
}
