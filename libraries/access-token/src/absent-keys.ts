/**
 * Key IDs that requests came with and the issuer did not have. They decide nothing, since a key can
 * be published after its first use: but whoever comes with one again stands back for others.
 *
 * Two halves instead of an order of use: when the young half is full it becomes the old one, and
 * what the old one held is forgotten unless it was asked for since.
 */
import { absentKeysMax } from "./limits.ts";

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
