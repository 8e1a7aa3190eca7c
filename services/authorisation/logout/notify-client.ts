/** Tells one client that a session has ended, by a logout token (Back-Channel Logout 1.0). */
import { randomUUID } from "node:crypto";
import { isLogoutUri, logoutUriNeed } from "../model/client-uris.ts";
import { signingAlgorithm } from "../model/signing-key.ts";
import type { KeyRing } from "../signing/key-ring.ts";
import type { EndedSession } from "../store/logout-notices.ts";

/** Section 4 recommends two minutes at most. */
const lifetimeSeconds = 120;

const event = "http://schemas.openid.net/event/backchannel-logout";

/** What signing needs. */
export interface LogoutTokenOptions {
  /** The issuer, exactly as in ID tokens. */
  authUrl: string;
  signingKeys: Pick<KeyRing, "currentKeyId" | "ensureRecent" | "sign">;
}

/**
 * Makes a logout token (section 2.4). Each try needs a new one with an ID of its own: a client that
 * received the first, and whose answer was lost, would refuse the same token.
 */
export async function signLogoutToken(
  { clientId, subject, sid }: EndedSession,
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
    sid,
  };
  const signed = `${encode(header)}.${encode(claims)}`;
  const signature = await signingKeys.sign(keyId, Buffer.from(signed));
  return `${signed}.${signature.toString("base64url")}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Section 2.8. Some frameworks turn an empty answer into 204. */
const statusesOfSuccess = [200, 204];

/**
 * Posts a logout token (section 2.5). It reads nothing but the status of the answer, and follows
 * no redirect.
 *
 * @throws when the client does not confirm within `timeoutMs`, or `signal` aborts
 */
export async function notifyClient(options: {
  logoutUri: string;
  logoutToken: string;
  timeoutMs: number;
  signal: AbortSignal;
}): Promise<void> {
  const { logoutUri, logoutToken, timeoutMs, signal } = options;
  if (!isLogoutUri(logoutUri)) throw new Error(`Cannot tell the client: need ${logoutUriNeed}`);
  const response = await fetch(logoutUri, {
    method: "POST",
    body: new URLSearchParams({ logout_token: logoutToken }),
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  // Frees the connection.
  await response.body?.cancel();
  if (!statusesOfSuccess.includes(response.status)) {
    throw new Error(`Cannot tell the client: got status ${response.status}, need 200 or 204`);
  }
}
