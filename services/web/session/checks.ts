/**
 * Every check that a request must pass before it acts for the person who is signed in, in the order
 * in which they run. `attacks.pg.test.ts` has attacks against each of them.
 */
import type { IncomingHttpHeaders } from "node:http";
import { readCookies } from "../model/cookies.ts";
import { isSessionId } from "../model/session-id.ts";
import { WebError } from "../model/web-error.ts";
import type { StoredSession } from "../store/sessions.ts";
import { sessionEnded } from "./token-refresher.ts";

/**
 * What a request asks for: a call of the uploads service, something of the session itself, or
 * content, which a person may also open by its address.
 */
export type Access = "call" | "session" | "content";

interface SessionRequest {
  readonly access: Access;
  readonly headers: IncomingHttpHeaders;
  /** The values of the session's cookie. */
  readonly cookies: readonly string[];
}

interface SessionRules {
  /** The name of the session's cookie. */
  readonly cookieName: string;
  /** The page's own origin. */
  readonly origin: string;
  readonly idleSecondsMax: number;
  readonly ageSecondsMax: number;
  /** Called with the name of the check that a request fails. */
  readonly countRefusal: (check: string) => void;
}

/** Passes if the refusal is undefined. */
interface Check<Subject> {
  readonly name: string;
  readonly refuse: (subject: Subject, rules: SessionRules) => WebError | undefined;
}

/** A page of another site must not make requests, even if the browser adds the cookie. */
const sameOrigin: Check<SessionRequest> = {
  name: "same_origin",
  refuse({ access, headers }) {
    const site = headers["sec-fetch-site"];
    // `none`: a person typed the address or chose a bookmark.
    const isOurs = site === "same-origin" || (access === "content" && site === "none");
    return isOurs ? undefined : otherOrigin(`Sec-Fetch-Site is ${shown(site)}`);
  },
};

/** The same by the older header, which browsers send with every POST. */
const ownOrigin: Check<SessionRequest> = {
  name: "own_origin",
  refuse({ headers: { origin } }, rules) {
    const isOurs = origin === undefined || origin === rules.origin;
    return isOurs ? undefined : otherOrigin("Origin is another one");
  },
};

/** A form of another page cannot set this header, nor a script without permission (CORS). */
const connectHeader: Check<SessionRequest> = {
  name: "connect_header",
  refuse({ access, headers }) {
    if (access !== "call" || headers["connect-protocol-version"] === "1") return undefined;
    return new WebError(
      "PROTOCOL_VERSION_INVALID",
      'Connect-Protocol-Version: got another value or none, need "1"',
    );
  },
};

const hasCookie: Check<SessionRequest> = {
  name: "cookie",
  refuse({ cookies }) {
    return cookies.length > 0 ? undefined : new WebError("SESSION_MISSING", "nobody is signed in");
  },
};

/** With two, someone tries to choose the session: browsers store one `__Host-` cookie of a name. */
const oneCookie: Check<SessionRequest> = {
  name: "one_cookie",
  refuse({ cookies }, { cookieName }) {
    if (cookies.length === 1) return undefined;
    return new WebError("COOKIE_REPEATED", `there must be one cookie ${cookieName}`);
  },
};

const cookieForm: Check<SessionRequest> = {
  name: "form_of_cookie",
  refuse: ({ cookies: [id = ""] }) => (isSessionId(id) ? undefined : sessionEnded()),
};

/** Sessions that have ended have no row. */
const known: Check<StoredSession | undefined> = {
  name: "known",
  refuse: (session) => (session === undefined ? sessionEnded() : undefined),
};

const notIdle: Check<StoredSession | undefined> = {
  name: "not_idle",
  refuse: (session, { idleSecondsMax }) =>
    (session?.idleSeconds ?? 0) < idleSecondsMax ? undefined : sessionEnded(),
};

const notTooOld: Check<StoredSession | undefined> = {
  name: "not_too_old",
  refuse: (session, { ageSecondsMax }) =>
    (session?.ageSeconds ?? 0) < ageSecondsMax ? undefined : sessionEnded(),
};

/** Before the database is asked. */
const ofRequest = [sameOrigin, ownOrigin, connectHeader, hasCookie, oneCookie, cookieForm];
const ofSession = [known, notIdle, notTooOld];

/** The names of all checks. After them, the token must be valid: see token-refresher.ts. */
export const checkNames = [...ofRequest, ...ofSession].map(({ name }) => name);

/** Checks a request, and returns the ID of its session. @throws {WebError} */
export function checkRequest(
  access: Access,
  headers: IncomingHttpHeaders,
  rules: SessionRules,
): string {
  const cookies = readCookies(headers.cookie)
    .filter(([name]) => name === rules.cookieName)
    .map(([, value]) => value);
  run(ofRequest, { access, headers, cookies }, rules);
  return cookies[0] ?? "";
}

/** Checks the row of a session. @throws {WebError} */
export function checkSession(
  session: StoredSession | undefined,
  rules: SessionRules,
): StoredSession {
  run(ofSession, session, rules);
  // The first check refuses undefined.
  if (session === undefined) throw sessionEnded();
  return session;
}

function run<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
  rules: SessionRules,
): void {
  for (const { name, refuse } of checks) {
    const refusal = refuse(subject, rules);
    if (refusal === undefined) continue;
    rules.countRefusal(name);
    throw refusal;
  }
}

function otherOrigin(what: string): WebError {
  return new WebError("ORIGIN_REFUSED", `only the page itself may ask for this: ${what}`);
}

/** The words that browsers send; nothing else is repeated to the caller. */
function shown(site: string | string[] | undefined): string {
  const words = ["cross-site", "same-site", "none"];
  return words.find((word) => word === site) ?? "missing or unknown";
}
