/**
 * Override: stored interactions contain no secrets.
 *
 * oidc-provider stores each record with its ID. An interaction also contains the address of the
 * next request, which ends with that ID, and the cookie ID of the session. Each of them is enough
 * to take over the interaction or the session, so none may be in the database.
 */
import type { AdapterPayload } from "oidc-provider";

/** A payload without its ID. */
interface StoredPayload extends AdapterPayload {
  returnToStart?: string;
}

/** The payload to store. */
export function withoutSecrets(id: string, payload: AdapterPayload): StoredPayload {
  const { jti: _, consumed: __, returnTo, session, ...rest } = payload;
  const { cookie: ___, ...sessionRest } = session ?? {};
  const isOwnAddress = returnTo?.endsWith(id);
  return {
    ...rest,
    ...(session && { session: sessionRest as AdapterPayload["session"] }),
    ...(returnTo &&
      (isOwnAddress ? { returnToStart: returnTo.slice(0, -id.length) } : { returnTo })),
  };
}

/** The payload as the library stored it, except for the session's cookie. */
export function withSecrets(id: string, payload: StoredPayload): AdapterPayload {
  const { returnToStart, ...rest } = payload;
  return { ...rest, jti: id, ...(returnToStart && { returnTo: returnToStart + id }) };
}
