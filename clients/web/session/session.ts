/** The session of the reader, which the page's server keeps. */
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { isUnauthenticated } from "../api/call-error.ts";
import { forgetView, keepView, returnPath } from "./kept-view.ts";

export interface Session {
  /** How the person is called: a name, or the name that they sign in with. */
  readonly name: string;
  readonly loginName: string | null;
  readonly email: string | null;
}

/** Whether both are of one person, as far as the issuer tells who that is. */
export function isSamePerson(one: Session, other: Session): boolean {
  const { name, loginName, email } = other;
  return one.name === name && one.loginName === loginName && one.email === email;
}

export const sessionKey = ["session"] as const;

/**
 * If a call failed because the session has ended, the page says so: everything else on it stays.
 * Queries note it by themselves.
 */
export function noteEndedSession(client: QueryClient, error: unknown): void {
  if (isUnauthenticated(error)) client.setQueryData(sessionKey, null);
}

/** A reader who comes back from signing in without a session is not sent again so soon. */
const signInPauseMs = 10_000;
const sentAtKey = "stowage-sent-to-sign-in";

/** Set by a sign-out: the page must not sign the reader in again without a click. */
const signedOutKey = "stowage-signed-out";

/** Null if the reader is not signed in, or the session has ended. */
async function readSession({ signal }: { signal: AbortSignal }): Promise<Session | null> {
  const response = await fetch("/session", { signal, headers: { accept: "application/json" } });
  if (response.status === 401) return null;
  if (!response.ok) throw new Error(`The session cannot be read: status ${response.status}`);
  // The browser keeps the cookie: signing in has an effect, should it be needed again.
  sessionStorage.removeItem(sentAtKey);
  sessionStorage.removeItem(signedOutKey);
  return (await response.json()) as Session;
}

export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: readSession,
    staleTime: Infinity,
    // The reader may have signed in or out in another tab.
    refetchOnWindowFocus: "always",
  });
}

/** The address that signs the reader in and returns to this view. */
export function signInHref(): string {
  return `/sign-in?${new URLSearchParams({ return: returnPath() })}`;
}

/** Sends the reader to sign in. Returns false if that has just been done, to no effect. */
export function goToSignIn(): boolean {
  const sentAtMs = Number(sessionStorage.getItem(sentAtKey));
  if (Date.now() - sentAtMs < signInPauseMs) return false;
  sessionStorage.setItem(sentAtKey, `${Date.now()}`);
  keepView();
  window.location.assign(signInHref());
  return true;
}

/** Whether the reader has signed out, in this tab or another, and has not signed in since. */
export function isSignedOutByReader(): boolean {
  return sessionStorage.getItem(signedOutKey) !== null;
}

let channel: BroadcastChannel | undefined;

/** Sign-outs of all tabs. A channel does not hear itself, so each tab has one for both ways. */
function signOutChannel(): BroadcastChannel {
  channel ??= new BroadcastChannel(signedOutKey);
  return channel;
}

function noteSignOut(): void {
  sessionStorage.setItem(signedOutKey, "true");
  forgetView();
}

/** Calls when the reader has signed out in another tab. */
export function onSignOutElsewhere(act: () => void): void {
  signOutChannel().addEventListener("message", () => {
    noteSignOut();
    act();
  });
}

/**
 * Ends the session here and at the issuer. The browser leaves the page.
 *
 * @throws {Error} if that failed: the reader may still be signed in
 */
export async function signOut(): Promise<void> {
  const response = await fetch("/sign-out", { method: "POST" });
  if (!response.ok) throw new Error(`Cannot sign out: status ${response.status}`);
  const { url } = (await response.json()) as { url: string };
  noteSignOut();
  signOutChannel().postMessage("signed out");
  window.location.assign(url);
}
