/** The token that tells a client of the end of a session: Back-Channel Logout 1.0 section 2.4. */
import { randomUUID } from "node:crypto";
import { isLogoutUri, logoutUriNeed } from "../model/client-uris.ts";
import { signingAlgorithm } from "../model/signing-key.ts";
import type { FollowedKeys } from "../signing/followed-keys.ts";
import type { EndedSession } from "../store/logout-notices.ts";

/** Time enough to arrive; section 4 advises two minutes at most. */
const lifetimeSeconds = 120;

const event = "http://schemas.openid.net/event/backchannel-logout";

/** What signing takes. */
export interface LogoutTokenOptions {
  /** The issuer, exactly as it stands in ID tokens. */
  authUrl: string;
  signingKeys: Pick<FollowedKeys, "currentKeyId" | "ensureRecent" | "sign">;
}

/**
 * Makes a logout token. Each has an ID of its own, also when the client is told the same once more:
 * one that heard the first time, and whose answer was lost, would refuse the same token.
 */
export async function signLogoutToken(
  { clientId, subject, sessionId }: EndedSession,
  { authUrl, signingKeys }: LogoutTokenOptions,
): Promise<string> {
  await signingKeys.ensureRecent();
  const keyId = signingKeys.currentKeyId;
  const issuedAt = Math.floor(Date.now() / 1000);
  const header = { alg: signingAlgorithm, kid: keyId, typ: "logout+jwt" };
  const claims = {
    iss: authUrl,
    sub: subject,
    aud: clientId,
    iat: issuedAt,
    exp: issuedAt + lifetimeSeconds,
    jti: randomUUID(),
    events: { [event]: {} },
    sid: sessionId,
  };
  const signed = `${encode(header)}.${encode(claims)}`;
  const signature = await signingKeys.sign(keyId, Buffer.from(signed));
  return `${signed}.${signature.toString("base64url")}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** What a try takes. */
export interface TellOptions {
  logoutUri: string;
  logoutToken: string;
  /** How long the client has to answer. */
  timeoutMs: number;
  /** Gives the try up. */
  signal: AbortSignal;
}

/** Section 2.8; some frameworks make 204 of an empty answer. */
const statusesOfSuccess = [200, 204];

/**
 * Posts the token. Nothing but the status is read of the answer, and no redirect is followed: a
 * client's address is where its registration says, whatever answers there.
 *
 * @throws when the client was not told, or did not say so in time
 */
export async function tellClient(options: TellOptions): Promise<void> {
  const { logoutUri, logoutToken, timeoutMs, signal } = options;
  if (!isLogoutUri(logoutUri)) throw new Error(`Cannot tell the client: need ${logoutUriNeed}`);
  const response = await fetch(logoutUri, {
    method: "POST",
    body: new URLSearchParams({ logout_token: logoutToken }),
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  // Frees the connection; what the client has to say further is not wanted.
  await response.body?.cancel();
  if (!statusesOfSuccess.includes(response.status)) {
    throw new Error(`Cannot tell the client: got status ${response.status}, need 200 or 204`);
  }
}
