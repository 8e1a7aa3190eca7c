/** One try to tell a client: Back-Channel Logout 1.0 section 2.5. */
import { isLogoutUri, logoutUriNeed } from "./logout-uri.ts";

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
