/** The slots that a fair queue may take back from calls that hold them for long. */
import type { Client } from "./active-tenants.ts";
import { shareOf } from "./fair-scheduler.ts";

export interface RevocableSlot {
  readonly client: Client;
  readonly sinceMs: number;
  readonly revoke: () => void;
  /** The client that the slot was revoked for. */
  heir?: Client;
}

export class RevocableSlots {
  /** Oldest first. */
  readonly #slots = new Set<RevocableSlot>();

  add(slot: RevocableSlot): void {
    this.#slots.add(slot);
  }

  delete(slot: RevocableSlot): void {
    this.#slots.delete(slot);
  }

  /**
   * Revokes a slot for the first of the waiting clients that has a claim: the oldest slot of the
   * client that holds the most, of the tenant that holds the most. Slots that were taken after
   * `latestMs` are not revoked.
   */
  revokeOne(waiting: Iterable<Client>, latestMs: number): void {
    const largestFirst = [...this.#slots]
      .filter(({ sinceMs }) => sinceMs <= latestMs)
      .sort(
        ({ client: one }, { client: other }) =>
          shareOf(other.tenant) - shareOf(one.tenant) || shareOf(other) - shareOf(one),
      );
    for (const client of waiting) {
      const slot = largestFirst.find(({ client: holder }) => hasClaim(client, holder));
      if (slot === undefined) continue;
      this.#slots.delete(slot);
      slot.heir = client;
      slot.revoke();
      return;
    }
  }
}

/** Whether the client, or its tenant, holds less than half of what another one does. */
function hasClaim(client: Client, holder: Client): boolean {
  if (client.tenant === holder.tenant) return 2 * shareOf(client) < shareOf(holder);
  return 2 * shareOf(client.tenant) < shareOf(holder.tenant);
}
