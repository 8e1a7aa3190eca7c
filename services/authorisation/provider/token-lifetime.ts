/** How long access tokens are good for, and what must last as long as they do. */

/** From when a token is issued. */
export const accessTokenLifetimeSeconds = 3600;

/** The same with the minute that a resource server may allow for clocks. */
export const acceptedSecondsMax = accessTokenLifetimeSeconds + 60;

/** How long a subject's tokens stay revoked: kept a day, so that no clock makes it too short. */
export const subjectRevokedSeconds = 24 * 3600;
