/**
 * The keys that the issuer published last. Each fetch makes new key objects, but an unchanged key
 * keeps its old object. The object therefore shows whether a key that verified a token is still
 * valid.
 */
import type { KeyObject } from "node:crypto";

/** Key IDs, by how a fetch changed their keys. */
export interface KeyChanges {
  readonly added: readonly string[];
  readonly withdrawn: readonly string[];
  /** New material under an old key ID. */
  readonly replaced: readonly string[];
}

export class PublishedKeys {
  readonly #maxAgeMs: number;
  #keys: ReadonlyMap<string, KeyObject> = new Map();
  #askedForAtMs = 0;

  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs;
  }

  get keyIds(): string[] {
    return [...this.#keys.keys()];
  }

  /** Whatever its age. */
  get(keyId: string): KeyObject | undefined {
    return this.#keys.get(keyId);
  }

  areTooOld(nowMs: number): boolean {
    return nowMs - this.#askedForAtMs > this.#maxAgeMs;
  }

  shouldBeRenewed(nowMs: number): boolean {
    return nowMs - this.#askedForAtMs > this.#maxAgeMs / 2;
  }

  replace(fetched: ReadonlyMap<string, KeyObject>, askedForAtMs: number): KeyChanges {
    const held = this.#keys;
    const keys = new Map<string, KeyObject>();
    const added: string[] = [];
    const replaced: string[] = [];
    for (const [keyId, key] of fetched) {
      const before = held.get(keyId);
      const isSame = before?.equals(key) === true;
      keys.set(keyId, isSame ? before : key);
      if (before === undefined) added.push(keyId);
      else if (!isSame) replaced.push(keyId);
    }
    this.#keys = keys;
    this.#askedForAtMs = askedForAtMs;
    const withdrawn = [...held.keys()].filter((keyId) => !fetched.has(keyId));
    return { added, withdrawn, replaced };
  }
}
