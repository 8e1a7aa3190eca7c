/** How long tokens, sessions and grants are valid. */
import type { Configuration, RefreshToken, Session } from "oidc-provider";
import { isOfProvider } from "./session.ts";

/** The longest lifetime of an access token: revocations and retired keys are kept that long. */
export const accessTokenSecondsMax = 3600;

/** The same, and the minute that a resource server may allow for clocks that differ. */
export const acceptedSecondsMax = accessTokenSecondsMax + 60;

/** How long all tokens of a subject stay revoked: a day, so that clocks may differ. */
export const subjectRevokedSeconds = 24 * 3600;

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Lifetimes in seconds, from the settings. */
export interface Lifetimes {
  /** Of access tokens and ID tokens; at most {@link accessTokenSecondsMax}. */
  accessToken: number;
  /** From request to request, and from the sign-in. */
  sessionIdle: number;
  sessionMax: number;
  /** From the sign-in at another provider, of sessions and refresh tokens. */
  providerSession: number;
  /** From refresh to refresh, and from the sign-in. */
  refreshTokenIdle: number;
  refreshTokenMax: number;
  /** How long a refresh token that was used can be used again. */
  refreshTokenGrace: number;
  /** How long the pages of a sign-in may stay open. */
  interaction: number;
}

/** The lifetimes without settings. */
export const lifetimesDefault: Lifetimes = {
  accessToken: accessTokenSecondsMax,
  sessionIdle: 14 * day,
  sessionMax: 30 * day,
  providerSession: 8 * hour,
  refreshTokenIdle: 14 * day,
  refreshTokenMax: 90 * day,
  refreshTokenGrace: 30,
  interaction: hour,
};

/** Lifetimes for the provider's configuration. */
export function providerLifetimes(lifetimes: Lifetimes): NonNullable<Configuration["ttl"]> {
  const { accessToken, interaction } = lifetimes;
  const { refreshTokenIdle, refreshTokenMax, providerSession } = lifetimes;
  return {
    AccessToken: accessToken,
    ClientCredentials: accessToken,
    IdToken: accessToken,
    AuthorizationCode: minute,
    // Time to find a browser, to enter the code and to sign in.
    DeviceCode: 10 * minute,
    Interaction: interaction,
    // Anybody can make sessions in which nobody is signed in. They last as long as a page.
    Session: (_ctx, session: Session) =>
      session.accountId === undefined ? interaction : sessionSeconds(session, lifetimes),
    RefreshToken: (_ctx, token) => {
      const { iiat, authTime, acr } = token as RefreshToken & { iiat: number };
      return isOfProvider({ acr })
        ? within(refreshTokenIdle, providerSession, authTime)
        : within(refreshTokenIdle, refreshTokenMax, iiat);
    },
    Grant: grantSeconds(lifetimes),
  };
}

/** How long a grant is stored: longer than anything that rests on it. */
export function grantSeconds({ sessionMax, refreshTokenMax }: Lifetimes): number {
  return sessionMax + refreshTokenMax + day;
}

/** How long a session lasts from now, in which somebody is signed in. */
export function sessionSeconds(
  { acr, loginTs }: Pick<Session, "acr" | "loginTs">,
  lifetimes: Pick<Lifetimes, "sessionIdle" | "sessionMax" | "providerSession">,
): number {
  const { sessionIdle, sessionMax, providerSession } = lifetimes;
  return within(sessionIdle, isOfProvider({ acr }) ? providerSession : sessionMax, loginTs);
}

/** The time until `since + max`, at most `idle`. At least 1, since 0 would mean for ever. */
function within(idle: number, max: number, since: number | undefined): number {
  const now = Math.floor(Date.now() / 1000);
  return Math.max(1, Math.min(idle, (since ?? now) + max - now));
}
