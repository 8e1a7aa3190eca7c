/**
 * The key ring: the signing keys of a running service. It reads them from the database every
 * second, so that all processes change keys together, without a restart. Between two reads, and
 * while the database is not available, the times that it has read apply. The denylist of
 * `@stowage/access-token` has a poller of its own, which the published package cannot share.
 */
import { type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";
import { type EncryptionKey, errorText, type Logger, openPool, repeat } from "@stowage/process";
import type pg from "pg";
import { stateOf } from "../model/key-times.ts";
import type { PublicJwk } from "../model/signing-key.ts";
import { erasePrivateKeys, findPublicKey, readSigningKeys } from "../store/signing-keys.ts";
import { KeyCache } from "./key-cache.ts";

const readIntervalMs = 1_000;

const answerTimeoutMs = 4_000;

/**
 * A process whose last read is older does not sign: its key may have been withdrawn. This leaves
 * time for a read that hangs and for another. Without the database no token is issued anyway.
 */
const readAgeMaxMs = 10_000;

interface KeyRingOptions {
  readonly databaseUrl: string;
  /** For keys that are not in the key set. Anybody can send tokens that name such keys. */
  readonly lookupPool: pg.Pool;
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly logger: Logger;
  /** A monotonic clock in milliseconds. Default: the process's own. */
  readonly clock?: () => number;
}

/** Reads the keys and starts to poll. There must be one: see prepare-keys.ts. */
export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const keys = new KeyRing(options);
  try {
    await keys.start();
    return keys;
  } catch (error) {
    await keys.stop();
    throw error;
  }
}

/** The keys at this moment. */
export class KeyRing {
  readonly #logger: Logger;
  /** Has its own connection, so that load on the service does not delay the reads. */
  readonly #pool: pg.Pool;
  readonly #lookupPool: pg.Pool;
  readonly #cache: KeyCache;
  #stopPolling: (() => Promise<void>) | undefined;
  #isBehind = false;
  #reading: Promise<void> | undefined;
  #problems: readonly string[] = [];

  constructor(options: KeyRingOptions) {
    const { databaseUrl, encryptionKeys, logger, clock = () => performance.now() } = options;
    this.#logger = logger;
    this.#lookupPool = options.lookupPool;
    this.#cache = new KeyCache(encryptionKeys, clock);
    const applicationName = "stowage-authorisation-keys";
    this.#pool = openPool({
      databaseUrl,
      applicationName,
      connectionsMax: 1,
      answerTimeoutMs,
      waitMaxMs: answerTimeoutMs,
      logger,
    });
  }

  /** Reads the keys, now and every second. Rejects if no key signs. */
  async start(): Promise<void> {
    await this.#read();
    this.checkUsable();
    const times = { firstMs: readIntervalMs, intervalMs: readIntervalMs };
    this.#stopPolling = repeat(times, () => this.#readAgain());
  }

  async stop(): Promise<void> {
    await this.#stopPolling?.();
    await this.#pool.end();
  }

  /** The ID of the current key, which signs now. */
  get currentKeyId(): string {
    return this.#current.keyId;
  }

  get currentPublicKey(): KeyObject {
    return this.#current.publicKey;
  }

  /** The keys of the key set, the newest first. */
  get published(): readonly PublicJwk[] {
    return this.#cache.published;
  }

  /** The states and creation times of the keys of the key set, the newest first. */
  get states(): KeyCache["states"] {
    return this.#cache.states;
  }

  /** The time since the last read, in milliseconds. */
  get readAgeMs(): number {
    return this.#cache.ageMs;
  }

  /** Reads the keys if the last read is too old. @throws if the database does not answer */
  async ensureRecent(): Promise<void> {
    if (this.#cache.ageMs > readAgeMaxMs) await this.#read();
  }

  /**
   * Signs with RSASSA-PKCS1-v1_5 and SHA-256.
   *
   * @param keyId the key that the header of `data` names, current now or a moment ago
   * @throws if the key no longer signs or cannot be decrypted, or if the last read is too old and
   *   the database does not answer
   */
  async sign(keyId: string, data: Uint8Array): Promise<Buffer> {
    await this.ensureRecent();
    const key = this.#cache.find(keyId);
    const lastSignsMs = (key?.retiredAtMs ?? Number.POSITIVE_INFINITY) + readAgeMaxMs;
    if (key?.privateKey === undefined || this.#cache.nowMs > lastSignsMs) {
      throw new Error(`Cannot sign with key ${keyId}: need one that signs and can be decrypted`);
    }
    return await promisify(sign)("sha256", data, key.privateKey);
  }

  /** Finds the public key of a key that was not withdrawn, even if it has left the key set. */
  async findPublicKey(keyId: string): Promise<KeyObject | undefined> {
    return this.#cache.find(keyId)?.publicKey ?? (await findPublicKey(this.#lookupPool, keyId));
  }

  /** @throws if the current key, or the next one, cannot be used */
  checkUsable(): void {
    const [problem] = this.#problems;
    if (problem !== undefined) throw new Error(problem);
    void this.#current;
  }

  get #current() {
    const key = this.#cache.current;
    if (key === undefined) throw new Error("Cannot sign: there is no signing key");
    return key;
  }

  async #readAgain(): Promise<void> {
    try {
      await this.#read();
      if (this.#isBehind) this.#logger.warn("the signing keys can be read again");
      this.#isBehind = false;
    } catch (error) {
      if (!this.#isBehind) {
        this.#logger.warn({ reason: errorText(error) }, "cannot read the signing keys");
      }
      this.#isBehind = true;
    }
  }

  /** Concurrent callers share one read. */
  #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    const signedBefore = this.#cache.current?.keyId;
    const { keys, nowMs } = await readSigningKeys(this.#pool, "current");
    const problems = this.#cache.replace({ keys, nowMs });
    for (const problem of problems) {
      if (!this.#problems.includes(problem)) this.#logger.error(problem);
    }
    this.#problems = problems;
    const keyId = this.#cache.current?.keyId;
    if (keyId !== signedBefore) this.#logger.info({ keyId }, "another key signs from now on");

    const removed = keys.filter((key) => stateOf(key, nowMs) === "removed");
    if (removed.length > 0) {
      await erasePrivateKeys(
        this.#pool,
        removed.map((key) => key.keyId),
      );
    }
  }
}
