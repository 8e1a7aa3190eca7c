/**
 * Sign-ins that are under way. Each is a cookie of the browser that began it, encrypted, for some
 * minutes: it cannot be finished in another browser, and nothing is stored for people who never
 * come back.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { type EncryptionKey, seal, unseal } from "@stowage/process";
import { readCookies, removeCookie, storeCookie } from "../model/cookies.ts";

export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  /** The secret of PKCE (RFC 7636). */
  readonly codeVerifier: string;
  /** A path of this site. */
  readonly returnPath: string;
  readonly beganAtMs: number;
}

interface PendingOptions {
  readonly keys: readonly EncryptionKey[];
  /** How long a sign-in may take. */
  readonly lifetimeSeconds: number;
  /** Sign-ins of one browser at once; a further one ends the oldest. */
  readonly pendingMax: number;
  /** How the names of the cookies begin. */
  readonly cookiePrefix: string;
}

export class PendingSignIns {
  readonly #options: PendingOptions;

  constructor(options: PendingOptions) {
    this.#options = options;
  }

  /** The values of `Set-Cookie` that add a sign-in, and remove those too old or too many. */
  add(signIn: PendingSignIn, cookieHeader: string | undefined): string[] {
    const { lifetimeSeconds, pendingMax, keys } = this.#options;
    const [key] = keys;
    if (key === undefined) throw new TypeError("Cannot encrypt a sign-in: need a key");
    const others = new Map(
      readCookies(cookieHeader)
        .filter(([name]) => this.#isName(name))
        .map(([name, value]) => [name, this.#open(name, value)?.beganAtMs ?? 0]),
    );
    const kept = [...others]
      .filter(([, beganAtMs]) => this.#isCurrent(beganAtMs))
      .sort(([, a], [, b]) => b - a)
      .slice(0, pendingMax - 1)
      .map(([name]) => name);
    const name = this.#nameOf(signIn.state);
    const { encryptionKeyId, bytes } = seal(name, Buffer.from(JSON.stringify(signIn)), key);
    const value = `${encryptionKeyId}.${bytes.toString("base64url")}`;
    return [
      ...[...others.keys()].filter((other) => !kept.includes(other)).map(removeCookie),
      storeCookie(name, value, lifetimeSeconds),
    ];
  }

  /** Finds the sign-in that a state belongs to; undefined if this browser began none. */
  find(state: string, cookieHeader: string | undefined): PendingSignIn | undefined {
    const name = this.#nameOf(state);
    const values = readCookies(cookieHeader).filter(([given]) => given === name);
    const [, value = ""] = values[0] ?? [];
    const signIn = values.length === 1 ? this.#open(name, value) : undefined;
    if (signIn === undefined || !this.#isCurrent(signIn.beganAtMs)) return undefined;
    return isEqual(signIn.state, state) ? signIn : undefined;
  }

  /** The value of `Set-Cookie` that ends a sign-in. */
  remove(state: string): string {
    return removeCookie(this.#nameOf(state));
  }

  /** Reveals nothing of the state. */
  #nameOf(state: string): string {
    const digest = createHash("sha256").update(state).digest("hex").slice(0, 16);
    return this.#options.cookiePrefix + digest;
  }

  #isName(name: string): boolean {
    const { cookiePrefix } = this.#options;
    return name.startsWith(cookiePrefix) && /^[0-9a-f]{16}$/.test(name.slice(cookiePrefix.length));
  }

  #isCurrent(beganAtMs: number): boolean {
    const ageMs = Date.now() - beganAtMs;
    return ageMs >= 0 && ageMs < this.#options.lifetimeSeconds * 1000;
  }

  #open(name: string, value: string): PendingSignIn | undefined {
    const [encryptionKeyId = "", text = ""] = value.split(".");
    try {
      const sealed = { encryptionKeyId, bytes: Buffer.from(text, "base64url") };
      return JSON.parse(unseal(name, sealed, this.#options.keys).toString()) as PendingSignIn;
    } catch {
      // Not made here, or with a key that is gone: it is worth nothing.
      return undefined;
    }
  }
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
