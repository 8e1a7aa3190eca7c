/** The slots that a fair queue may take back from calls that hold them for long. */
import type { Client, WaitingCall } from "./active-tenants.ts";
import type { Flow } from "./fair-scheduler.ts";

/** A waiting call that a slot was revoked for. */
export interface Heir {
  readonly client: Client;
  readonly call: WaitingCall;
}

export interface RevocableSlot {
  readonly client: Client;
  readonly sinceMs: number;
  readonly revoke: () => void;
  /** Set when the slot is revoked. */
  heir?: Heir;
}

export class RevocableSlots {
  /** Oldest first. Revoked ones stay until they are released. */
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
   * `latestMs` are not revoked. Those that were revoked count for the clients that get them.
   */
  revokeOne(waiting: Iterable<Client>, latestMs: number): void {
    const heirs = [...this.#slots].flatMap(({ heir }) => (heir && isWaiting(heir) ? heir : []));
    const shareOf = this.#sharesWith(heirs);
    const largestFirst = [...this.#slots]
      .filter(({ sinceMs, heir }) => sinceMs <= latestMs && heir === undefined)
      .sort(
        ({ client: one }, { client: other }) =>
          shareOf(other.tenant) - shareOf(one.tenant) || shareOf(other) - shareOf(one),
      );
    const servedSoon = new Set(heirs.map(({ call }) => call));
    for (const client of waiting) {
      const call = [...client.calls].find((each) => !servedSoon.has(each));
      const slot = largestFirst.find(({ client: holder }) => hasClaim(client, holder, shareOf));
      if (call === undefined || slot === undefined) continue;
      slot.heir = { client, call };
      slot.revoke();
      return;
    }
  }

  /** How many slots a flow will hold for its weight when the revoked ones are released. */
  #sharesWith(heirs: readonly Heir[]): ShareOf {
    const changes = new Map<Flow, number>();
    const change = (client: Client, by: 1 | -1) => {
      for (const flow of [client, client.tenant]) changes.set(flow, (changes.get(flow) ?? 0) + by);
    };
    for (const { client, heir } of this.#slots) if (heir !== undefined) change(client, -1);
    for (const { client } of heirs) change(client, 1);
    return (flow) => (flow.held + (changes.get(flow) ?? 0)) / flow.weight;
  }
}

type ShareOf = (flow: Flow) => number;

/** Whether the call has neither left nor been served. */
export function isWaiting({ client, call }: Heir): boolean {
  return client.calls.has(call);
}

/** Whether the client, or its tenant, holds less than half of what another one does. */
function hasClaim(client: Client, holder: Client, shareOf: ShareOf): boolean {
  if (client.tenant === holder.tenant) return 2 * shareOf(client) < shareOf(holder);
  return 2 * shareOf(client.tenant) < shareOf(holder.tenant);
}
