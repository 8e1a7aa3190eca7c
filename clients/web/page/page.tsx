/** Shows the page to readers who are signed in, and sends all others to sign in. */
import "./page.css";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import {
  goToSignIn,
  isSamePerson,
  isSignedOutByReader,
  type Session,
  useSession,
} from "../session/session.ts";
import { SignInLink } from "../session/sign-in-link.tsx";
import { strings } from "../text/strings.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { Failure } from "./failure.tsx";
import { SignedInPage } from "./signed-in-page.tsx";

export function Page() {
  return (
    <ErrorBoundary>
      <SessionGate />
    </ErrorBoundary>
  );
}

function SessionGate() {
  const session = useSession();
  const client = useQueryClient();
  const isSignedOut = session.data === null;
  // The session that this page began with: when it ends, everything stays on the screen.
  const [known, setKnown] = useState<Session>();
  const isOther = known !== undefined && session.data && !isSamePerson(known, session.data);
  if (session.data && session.data !== known && !isOther) setKnown(session.data);
  // Somebody else has signed in, in another tab: nothing that was read for the former may stay.
  useEffect(() => {
    if (isOther) window.location.reload();
  }, [isOther]);

  const isEnded = known !== undefined && isSignedOut;
  const [wasEnded, setWasEnded] = useState(false);
  if (isEnded && !wasEnded) setWasEnded(true);
  useEffect(() => {
    if (isEnded || !wasEnded) return;
    setWasEnded(false);
    void client.invalidateQueries({ predicate: ({ state }) => state.status === "error" });
  }, [client, isEnded, wasEnded]);

  if (isOther) return <p className="page-message">{strings.page.loading}</p>;
  if (known !== undefined) return <SignedInPage session={known} isSessionEnded={isEnded} />;
  if (isSignedOut) return isSignedOutByReader() ? <SignedOut /> : <SignIn />;
  if (session.error !== null) {
    return <Failure text={strings.page.unavailable} onRetry={() => void session.refetch()} />;
  }
  return <p className="page-message">{strings.page.loading}</p>;
}

function SignedOut() {
  return (
    <div className="page-message" role="status">
      <p>{strings.page.signedOut}</p>
      <SignInLink>{strings.page.signIn}</SignInLink>
    </div>
  );
}

function SignIn() {
  const [isRefused, setIsRefused] = useState(false);
  useEffect(() => setIsRefused(!goToSignIn()), []);
  if (!isRefused) return <p className="page-message">{strings.page.loading}</p>;
  return (
    <div className="page-message" role="alert">
      <p>{strings.page.signInFailed}</p>
      <SignInLink>{strings.page.signIn}</SignInLink>
    </div>
  );
}
