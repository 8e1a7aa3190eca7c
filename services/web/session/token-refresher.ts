/**
 * Access tokens that are valid now. A token is refreshed under the lock of its session's row, so
 * that several tabs and servers refresh once: an issuer may take a second use of a refresh token
 * for theft.
 */
import { inTransaction, type Logger } from "@stowage/process";
import type pg from "pg";
import { GrantRefusedError, type Issuer } from "../issuer/issuer.ts";
import { WebError } from "../model/web-error.ts";
import { lockSession, removeSession, type StoredSession, storeTokens } from "../store/sessions.ts";
import type { Tokens, TokenVault } from "./token-vault.ts";

/**
 * A token that expires sooner than this is refreshed: it might expire on its way. Of a token with a
 * short lifetime, half is used.
 */
const remainingMinSeconds = 60;

interface TokenRefresherOptions {
  /** Connections for refreshing only: they are held while the issuer answers. */
  readonly refreshPool: pg.Pool;
  readonly issuer: Pick<Issuer, "refresh">;
  readonly vault: TokenVault;
  readonly count: (result: "refreshed" | "refused" | "failed") => void;
  readonly logger: Logger;
}

type Found = Pick<StoredSession, "hash" | "sealed" | "accessSeconds">;

export class TokenRefresher {
  readonly #options: TokenRefresherOptions;
  /** Refreshes under way in this process, by session. */
  readonly #running = new Map<string, Promise<Tokens>>();

  constructor(options: TokenRefresherOptions) {
    this.#options = options;
  }

  /**
   * The tokens of a session, refreshed if necessary.
   *
   * @param refused an access token that was refused although it has not expired
   * @throws {WebError} SESSION_ENDED if the issuer refuses to refresh, ISSUER_UNAVAILABLE if it
   *   cannot be reached and there is no usable token
   */
  async tokensOf(session: Found, refused?: string): Promise<Tokens> {
    const tokens = this.#open(session);
    if (isUsable(session, tokens, refused)) return tokens;
    const key = session.hash.toString("hex");
    let running = this.#running.get(key);
    if (running === undefined) {
      running = this.#refresh(session.hash, refused).finally(() => this.#running.delete(key));
      this.#running.set(key, running);
    }
    const refreshed = await running;
    if (refreshed.accessToken === refused) throw issuerUnavailable();
    return refreshed;
  }

  async #refresh(hash: Buffer, refused: string | undefined): Promise<Tokens> {
    const { refreshPool, count } = this.#options;
    // Not thrown inside: the transaction that removes the session must be committed.
    const result = await inTransaction(refreshPool, async (client) => {
      const session = await lockSession(client, hash);
      if (session === undefined) return "ended";
      const tokens = this.#open(session);
      if (isUsable(session, tokens, refused)) return tokens;
      try {
        return await this.#replace(client, session, tokens);
      } catch (error) {
        if (error instanceof GrantRefusedError) {
          await removeSession(client, hash);
          count("refused");
          return "ended";
        }
        count("failed");
        // What is valid for some seconds more is used as long as the issuer does not answer.
        if (session.accessSeconds > 0 && tokens.accessToken !== refused) return tokens;
        throw error;
      }
    });
    if (result === "ended") throw sessionEnded();
    return result;
  }

  async #replace(client: pg.ClientBase, session: StoredSession, tokens: Tokens): Promise<Tokens> {
    const { issuer, vault, count } = this.#options;
    const grant = await issuer.refresh(tokens.refreshToken);
    const replaced = {
      accessToken: grant.accessToken,
      refreshToken: grant.refreshToken ?? tokens.refreshToken,
      idToken: grant.idToken ?? tokens.idToken,
      lifetimeSeconds: grant.expiresInSeconds,
    };
    const sealed = vault.seal(session.hash, replaced);
    await storeTokens(client, session.hash, { sealed, accessSeconds: grant.expiresInSeconds });
    count("refreshed");
    return replaced;
  }

  #open({ hash, sealed }: Found): Tokens {
    const tokens = this.#options.vault.open(hash, sealed);
    if (tokens !== undefined) return tokens;
    this.#options.logger.warn("the tokens of a session cannot be decrypted: was the key changed?");
    throw sessionEnded();
  }
}

function isUsable(
  { accessSeconds }: Pick<StoredSession, "accessSeconds">,
  { accessToken, lifetimeSeconds }: Tokens,
  refused: string | undefined,
): boolean {
  const remainingSeconds = Math.min(remainingMinSeconds, lifetimeSeconds / 2);
  return accessSeconds > remainingSeconds && accessToken !== refused;
}

export function sessionEnded(): WebError {
  return new WebError("SESSION_ENDED", "the session has ended: sign in again");
}

function issuerUnavailable(): WebError {
  return new WebError("ISSUER_UNAVAILABLE", "the sign-in service cannot be reached");
}
