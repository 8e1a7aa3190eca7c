/**
 * The keys as the issuer last published them. Each fetch brings new objects for all of them, but a
 * key that has not changed keeps its object: whoever verified a token under it can tell by that
 * object that the key still stands.
 */
import type { KeyObject } from "node:crypto";
import { absentKeysMax } from "../limits.ts";

/** Key IDs, by what a fetch did to their keys. */
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

/**
 * Key IDs that requests came with and the issuer did not have. They decide nothing, since a key can
 * be published after its first use: but whoever comes with one again stands back for others.
 *
 * Two halves instead of an order of use: when the young half is full it becomes the old one, and
 * what the old one held is forgotten unless it was asked for since.
 */

export class AbsentKeys {
  #young = new Set<string>();
  #old = new Set<string>();

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  has(keyId: string): boolean {
    if (this.#young.has(keyId)) return true;
    if (!this.#old.has(keyId)) return false;
    this.add(keyId);
    return true;
  }

  add(keyId: string): void {
    this.delete(keyId);
    if (this.#young.size >= absentKeysMax / 2) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(keyId);
  }

  delete(keyId: string): void {
    this.#young.delete(keyId);
    this.#old.delete(keyId);
  }
}
