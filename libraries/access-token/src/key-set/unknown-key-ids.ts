/**
 * A negative cache: key IDs that the issuer did not have. A key may be published after its first
 * use, so they are not refused, but requests with such an ID get a lower priority.
 *
 * Two generations, which approximate LRU: when the young one is full, it becomes the old one, and
 * the entries of the previous old one are dropped unless they were used since.
 */
import { unknownKeyIdsMax } from "../limits.ts";

export class UnknownKeyIds {
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
    if (this.#young.size >= unknownKeyIdsMax / 2) {
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
