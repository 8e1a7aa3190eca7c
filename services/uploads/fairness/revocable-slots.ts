/** The slots that a fair queue may take back from calls that hold them for long. */
import { type Flow, shareOf } from "./fair-scheduler.ts";

interface RevocableSlot {
  readonly tenant: Flow;
  readonly sinceMs: number;
  readonly revoke: () => void;
}

export class RevocableSlots {
  /** Oldest first. */
  readonly #slots = new Set<RevocableSlot>();

  /** Returns a function that removes the slot. */
  add(slot: RevocableSlot): () => void {
    this.#slots.add(slot);
    return () => this.#slots.delete(slot);
  }

  /**
   * Revokes the slot that was held longest of the tenant that holds the most in proportion to its
   * weight. Slots that were taken after `latestMs` are not revoked.
   */
  revokeOne(latestMs: number): void {
    let chosen: RevocableSlot | undefined;
    for (const slot of this.#slots) {
      if (slot.sinceMs > latestMs) break;
      if (chosen === undefined || shareOf(slot.tenant) > shareOf(chosen.tenant)) chosen = slot;
    }
    if (chosen === undefined) return;
    this.#slots.delete(chosen);
    chosen.revoke();
  }
}
