/** The sessions of people: begun by a sign-in, used by requests, and ended. */
import type { IncomingMessage } from "node:http";
import type pg from "pg";
import { hashOf, newSessionId } from "../model/session-id.ts";
import {
  addSession,
  findSession,
  issuerSessionsInUse,
  type Person,
  removeSession,
  type StoredSession,
  touchSession,
} from "../store/sessions.ts";
import { type Access, checkRequest, checkSession } from "./checks.ts";
import { RunningRequests } from "./running-requests.ts";
import type { TokenRefresher } from "./token-refresher.ts";
import type { Tokens, TokenVault } from "./token-vault.ts";

interface SessionOptions {
  readonly pool: pg.Pool;
  readonly vault: TokenVault;
  readonly tokenRefresher: TokenRefresher;
  readonly cookieName: string;
  /** The page's own origin. */
  readonly origin: string;
  readonly idleSecondsMax: number;
  readonly ageSecondsMax: number;
  /** Called with the name of the check that a request fails. */
  readonly countRefusal: (check: string) => void;
  /** Requests of one session at once, in this process. */
  readonly requestsMax: number;
  /** Requests for content of one person at once, in this process. */
  readonly personContentMax: number;
  /** Sessions of one person; a further sign-in ends the oldest. */
  readonly personSessionsMax: number;
}

/** A session for as long as one request runs. */
export interface OpenSession extends Disposable {
  readonly session: StoredSession;
  readonly tokens: Tokens;
  /** Tokens in place of those whose access token was refused. */
  renew(refused: string): Promise<Tokens>;
}

/** The time of the last request is stored at most this often. */
const touchSecondsMax = 60;

export class Sessions {
  readonly options: SessionOptions;
  readonly #ofSessions = new RunningRequests();
  /** A person may have many sessions, and content takes a connection for as long as it is read. */
  readonly #contentOfPersons = new RunningRequests();

  constructor(options: SessionOptions) {
    this.options = options;
  }

  /** Opens the session of a request. @throws {WebError} if any check fails */
  async open(request: IncomingMessage, access: Access): Promise<OpenSession> {
    const { options } = this;
    const hash = hashOf(checkRequest(access, request.headers, options));
    const running = new DisposableStack();
    running.defer(this.#ofSessions.begin(hash.toString("hex"), options.requestsMax));
    try {
      const session = checkSession(await findSession(options.pool, hash), options);
      if (access === "content") {
        running.defer(this.#contentOfPersons.begin(session.subject, options.personContentMax));
      }
      const tokens = await options.tokenRefresher.tokensOf(session);
      await this.#touch(session);
      return {
        session,
        tokens,
        renew: (refused) => options.tokenRefresher.tokensOf(session, refused),
        [Symbol.dispose]: () => running.dispose(),
      };
    } catch (error) {
      running.dispose();
      throw error;
    }
  }

  /**
   * Begins a session with a new ID, instead of those with the former IDs, and ends the oldest ones
   * of a person who has too many. Returns the ID, and the sessions that have ended.
   */
  async begin(
    person: Person,
    tokens: Tokens,
    { accessSeconds, formerIds }: { accessSeconds: number; formerIds: readonly string[] },
  ): Promise<{ id: string; ended: readonly StoredSession[] }> {
    const { pool, vault, personSessionsMax } = this.options;
    const former: StoredSession[] = [];
    for (const formerId of formerIds) {
      const removed = await removeSession(pool, hashOf(formerId));
      if (removed !== undefined) former.push(removed);
    }
    const id = newSessionId();
    const hash = hashOf(id);
    const session = { ...person, hash, sealed: vault.seal(hash, tokens), accessSeconds };
    const oldest = await addSession(pool, session, personSessionsMax);
    return { id, ended: [...former, ...oldest] };
  }

  /**
   * The tokens of ended sessions that may be revoked. A revoked token ends its grant, and all
   * sessions with the same session at the issuer share one grant. So the tokens of a session are
   * left out if another session has the same one at the issuer, or if the issuer did not name it.
   */
  async revocableTokens(ended: readonly StoredSession[]): Promise<readonly Tokens[]> {
    const { pool, vault } = this.options;
    const ids = ended.flatMap(({ issuerSessionId }) => issuerSessionId ?? []);
    if (ids.length === 0) return [];
    const inUse = await issuerSessionsInUse(pool, ids);
    return ended
      .filter(({ issuerSessionId: id }) => id !== null && !inUse.has(id))
      .flatMap(({ hash, sealed }) => vault.open(hash, sealed) ?? []);
  }

  /** Ends a session. Returns its tokens; undefined if there was none. */
  async end(sessionId: string): Promise<Tokens | undefined> {
    const hash = hashOf(sessionId);
    const removed = await removeSession(this.options.pool, hash);
    return removed && this.options.vault.open(hash, removed.sealed);
  }

  async #touch({ hash, idleSeconds }: StoredSession): Promise<void> {
    const { pool, idleSecondsMax } = this.options;
    if (idleSeconds < Math.min(touchSecondsMax, idleSecondsMax / 20)) return;
    await touchSession(pool, hash);
  }
}
