/**
 * The keys as a running service knows them: read from the database every second, so that all
 * processes change keys together, without a restart. In between, and while the database is away, a
 * process goes by the times that it has read.
 */
import { type KeyObject, sign } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { errorText, type Logger, openPool } from "@stowage/process";
import type pg from "pg";
import { stateOf } from "../model/key-times.ts";
import type { EncryptionKey } from "../model/sealed-key.ts";
import type { PublicJwk } from "../model/signing-key.ts";
import { erasePrivateKeys, findPublicKey, readSigningKeys } from "../store/signing-keys.ts";
import { HeldKeys } from "./held-keys.ts";

/** How often the keys are read: a few rows of a small table. */
const readIntervalMs = 1_000;

/** Longest wait for an answer. */
const answerTimeoutMs = 4_000;

/**
 * A process that has not read for so long does not sign: its key may have been taken back. Time
 * enough for a read that hangs and for another; without the database no token is issued anyway.
 */
const readAgeMaxMs = 10_000;

/** What it takes to follow the keys. */
interface FollowOptions {
  readonly databaseUrl: string;
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly logger: Logger;
  /** Milliseconds that go by, from any beginning; never set back. Default: the process's own. */
  readonly clock?: () => number;
}

/** Starts to follow the keys. There must be one: see prepare-keys.ts. The caller stops it. */
export async function followSigningKeys(options: FollowOptions): Promise<FollowedKeys> {
  const keys = new FollowedKeys(options);
  try {
    await keys.start();
    return keys;
  } catch (error) {
    await keys.stop();
    throw error;
  }
}

/** The keys at this moment. Answers change as time goes by. */
export class FollowedKeys {
  readonly #logger: Logger;
  /** Of its own, so that no load on the service keeps it from reading. */
  readonly #pool: pg.Pool;
  readonly #held: HeldKeys;
  readonly #stopping = new AbortController();
  #following: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #problems: readonly string[] = [];

  constructor(options: FollowOptions) {
    const { databaseUrl, encryptionKeys, logger, clock = () => performance.now() } = options;
    this.#logger = logger;
    this.#held = new HeldKeys(encryptionKeys, clock);
    const applicationName = "stowage-authorisation-keys";
    this.#pool = openPool({
      ...{ databaseUrl, applicationName, answerTimeoutMs, logger },
      connectionsMax: 1,
    });
  }

  /** Reads the keys, and from then on every second. Rejects when there is none that signs. */
  async start(): Promise<void> {
    await this.#read();
    this.checkUsable();
    this.#following = this.#follow();
  }

  /** Reads no more, and closes its connection. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
    await this.#pool.end();
  }

  /** The ID of the key that signs now. */
  get currentKeyId(): string {
    return this.#current.keyId;
  }

  /** The public key of the key that signs now. */
  get currentPublicKey(): KeyObject {
    return this.#current.publicKey;
  }

  /** The keys of the key set, the newest first. */
  get published(): readonly PublicJwk[] {
    return this.#held.published;
  }

  /**
   * Makes sure that what is known is not old, as it may be after the database was away.
   *
   * @throws when it is, and the database does not answer
   */
  async ensureRecent(): Promise<void> {
    if (this.#held.ageMs > readAgeMaxMs) await this.#read();
  }

  /**
   * Signs with RSASSA-PKCS1-v1_5 and SHA-256.
   *
   * @param keyId the current key, or the one that was when its ID was written into what is signed
   * @throws when that key does not sign any more or cannot be decrypted, or when what is known is
   *   old and the database does not answer
   */
  async sign(keyId: string, data: Uint8Array): Promise<Buffer> {
    await this.ensureRecent();
    const key = this.#held.find(keyId);
    const lastSignsMs = (key?.retiredAtMs ?? Number.POSITIVE_INFINITY) + readAgeMaxMs;
    if (key?.privateKey === undefined || this.#held.nowMs > lastSignsMs) {
      throw new Error(`Cannot sign with key ${keyId}: need one that signs and can be decrypted`);
    }
    return await promisify(sign)("sha256", data, key.privateKey);
  }

  /**
   * The public key of any key that was not withdrawn, also of one that has left the key set;
   * undefined for other IDs.
   */
  async findPublicKey(keyId: string): Promise<KeyObject | undefined> {
    return this.#held.find(keyId)?.publicKey ?? (await findPublicKey(this.#pool, keyId));
  }

  /** @throws when the key that signs, or the one that will, cannot be used. */
  checkUsable(): void {
    const [problem] = this.#problems;
    if (problem !== undefined) throw new Error(problem);
    void this.#current;
  }

  get #current() {
    const key = this.#held.current;
    if (key === undefined) throw new Error("Cannot sign: there is no signing key");
    return key;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    let isBehind = false;
    for (;;) {
      await setTimeout(readIntervalMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#read();
        if (isBehind) this.#logger.info("the signing keys can be read again");
        isBehind = false;
      } catch (error) {
        if (!isBehind) {
          this.#logger.warn({ reason: errorText(error) }, "cannot read the signing keys");
        }
        isBehind = true;
      }
    }
  }

  /** Those who ask while it goes on share it. */
  #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    const signedBefore = this.#held.current?.keyId;
    const { keys, nowMs } = await readSigningKeys(this.#pool, "current");
    const problems = this.#held.take({ keys, nowMs });
    for (const problem of problems) {
      if (!this.#problems.includes(problem)) this.#logger.error(problem);
    }
    this.#problems = problems;
    const keyId = this.#held.current?.keyId;
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
