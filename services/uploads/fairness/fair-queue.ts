/**
 * Shares slots, for example database connections, among tenants, and a tenant's slots among its
 * clients.
 *
 * - A free slot is taken at once. A tenant that is alone may hold all slots. No slot is free while
 *   a call that may take it waits.
 * - When all slots are taken, calls wait. A released slot goes to the waiting tenant that holds the
 *   fewest for its weight, within it to the client that holds the fewest, and then to its oldest
 *   call.
 * - There are newcomer slots in addition, which only a tenant that holds no slot may take. So long
 *   calls of others do not delay such a tenant.
 * - A tenant may use half of the waiting places, and each of its clients half of those. If all
 *   places are taken, the tenant that uses the most for its weight gives one up to a tenant that
 *   uses fewer: its newest call is refused.
 *
 * Memory is bounded by the slots and the places: parties without a call are forgotten.
 */
import { ApiError } from "../model/api-error.ts";
import { newParty, type Party, Turns } from "./turns.ts";

/** On whose behalf a call is made. */
interface QueueCaller {
  readonly tenant: string;
  readonly client: string;
}

/** Releases a slot. Only the first call has an effect. */
export type ReleaseSlot = () => void;

interface FairQueueOptions {
  readonly slots: number;
  readonly newcomerSlots: number;
  /** Waiting places of all tenants together. */
  readonly waitingMax: number;
  /** The weight of a tenant, above 0. Clients of one tenant are equal. */
  readonly weightOf: (tenant: string) => number;
  /** The longest wait. After that, asking another server is better for the caller. */
  readonly waitMaxMs: number;
}

interface Tenant extends Party {
  readonly name: string;
  readonly clients: Map<string, Client>;
  readonly turns: Turns<Client>;
}

interface Client extends Party {
  readonly name: string;
  readonly tenant: Tenant;
  /** Oldest first. */
  readonly calls: Set<WaitingCall>;
}

interface WaitingCall {
  readonly sinceMs: number;
  readonly resolve: (release: ReleaseSlot) => void;
  readonly reject: (reason: unknown) => void;
  readonly stopListening: () => void;
}

export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #tenants = new Map<string, Tenant>();
  readonly #turns = new Turns<Tenant>();
  #held = 0;
  #waiting = 0;
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** How many slots are taken. */
  get held(): number {
    return this.#held;
  }

  /** How many calls wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many tenants hold a slot or wait for one. */
  get tenants(): number {
    return this.#tenants.size;
  }

  /** Takes a slot if one is free for the tenant. */
  tryAcquire(caller: QueueCaller): ReleaseSlot | undefined {
    const { slots, newcomerSlots } = this.#options;
    // Nobody waits for a slot that this call may take: it would have been served already.
    if (this.#held >= slots + newcomerSlots) return undefined;
    if (this.#held >= slots && this.#holds(caller.tenant)) return undefined;
    return this.#take(this.#clientOf(caller));
  }

  /**
   * Waits for a slot. Rejects with the signal's reason when it aborts, and with `ApiError`
   * TOO_MANY_CALLS if the caller has used up its waiting places, or SERVER_BUSY if others have or
   * if it has waited for `waitMaxMs`, give or take a tenth.
   */
  async acquire(caller: QueueCaller, signal: AbortSignal): Promise<ReleaseSlot> {
    signal.throwIfAborted();
    const release = this.tryAcquire(caller);
    if (release !== undefined) return release;
    const client = this.#clientOf(caller);
    try {
      this.#requirePlace(client);
    } catch (error) {
      this.#forgetIfIdle(client);
      throw error;
    }
    return this.#wait(client, signal);
  }

  #holds(tenant: string): boolean {
    return (this.#tenants.get(tenant)?.held ?? 0) > 0;
  }

  #wait(client: Client, signal: AbortSignal): Promise<ReleaseSlot> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#leave(client, call);
        reject(signal.reason);
      };
      const stopListening = () => signal.removeEventListener("abort", onAbort);
      const call: WaitingCall = { sinceMs: performance.now(), resolve, reject, stopListening };
      signal.addEventListener("abort", onAbort, { once: true });
      client.calls.add(call);
      if (client.waiting === 0) client.tenant.turns.join(client);
      if (client.tenant.waiting === 0) this.#turns.join(client.tenant);
      this.#countWaiting(client, 1);
      this.#sweepLater();
    });
  }

  // One timer for all calls: a timer for each would cost more than most waits.
  #sweepLater(): void {
    this.#sweep ??= setTimeout(() => {
      this.#sweep = undefined;
      this.#refuseOldest();
      if (this.#waiting > 0) this.#sweepLater();
    }, this.#options.waitMaxMs / 10);
  }

  #refuseOldest(): void {
    const latestMs = performance.now() - this.#options.waitMaxMs;
    const clients = [...this.#tenants.values()].flatMap(({ clients }) => [...clients.values()]);
    for (const client of clients) {
      for (const call of client.calls) {
        if (call.sinceMs > latestMs) break;
        this.#leave(client, call);
        call.reject(new ApiError("SERVER_BUSY", "too many calls are under way; try again"));
      }
    }
  }

  /** Removes a call that got no slot from the queue. */
  #leave(client: Client, call: WaitingCall): void {
    call.stopListening();
    client.calls.delete(call);
    this.#countWaiting(client, -1);
    if (client.waiting === 0) client.tenant.turns.leave(client);
    if (client.tenant.waiting === 0) this.#turns.leave(client.tenant);
    this.#forgetIfIdle(client);
  }

  #take(client: Client): ReleaseSlot {
    this.#countHeld(client, 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#countHeld(client, -1);
      this.#serveNext();
      this.#forgetIfIdle(client);
    };
  }

  /** Gives the slot that became free to a waiting call. */
  #serveNext(): void {
    const tenant = this.#turns.first;
    const client = tenant?.turns.first;
    const [call] = client?.calls ?? [];
    if (tenant === undefined || client === undefined || call === undefined) return;
    // Only a newcomer slot is free. If a tenant that holds no slot waits, it is the first.
    if (this.#held >= this.#options.slots && tenant.held > 0) return;
    call.stopListening();
    client.calls.delete(call);
    this.#countWaiting(client, -1);
    const release = this.#take(client);
    tenant.turns.served(client);
    this.#turns.served(tenant);
    call.resolve(release);
  }

  #requirePlace(client: Client): void {
    const { waitingMax } = this.#options;
    const tenantMax = Math.ceil(waitingMax / 2);
    const clientMax = Math.ceil(tenantMax / 2);
    if (client.waiting >= clientMax) throw tooManyCalls("client");
    if (client.tenant.waiting >= tenantMax) throw tooManyCalls("organisation");
    if (this.#waiting >= waitingMax) this.#freePlaceFor(client.tenant);
  }

  /** Refuses the newest call of the client with the most places of the tenant with the most. */
  #freePlaceFor(tenant: Tenant): void {
    const largest = mostWaiting(this.#turns.all);
    const client = largest && mostWaiting(largest.turns.all);
    const call = client && [...client.calls].at(-1);
    const afterwards = (tenant.waiting + 1) / tenant.weight;
    if (client === undefined || call === undefined || afterwards >= placesOf(client.tenant)) {
      throw new ApiError("SERVER_BUSY", "too many calls are waiting; try again");
    }
    this.#leave(client, call);
    call.reject(tooManyCalls("organisation"));
  }

  #clientOf({ tenant: tenantName, client: clientName }: QueueCaller): Client {
    let tenant = this.#tenants.get(tenantName);
    if (tenant === undefined) {
      const weight = this.#options.weightOf(tenantName);
      tenant = { name: tenantName, ...newParty(weight), clients: new Map(), turns: new Turns() };
      this.#tenants.set(tenantName, tenant);
    }
    let client = tenant.clients.get(clientName);
    if (client === undefined) {
      client = { name: clientName, tenant, ...newParty(1), calls: new Set() };
      tenant.clients.set(clientName, client);
    }
    return client;
  }

  #forgetIfIdle(client: Client): void {
    const { tenant } = client;
    if (client.held === 0 && client.waiting === 0) tenant.clients.delete(client.name);
    if (tenant.clients.size === 0) this.#tenants.delete(tenant.name);
  }

  #countHeld(client: Client, change: 1 | -1): void {
    this.#held += change;
    client.tenant.held += change;
    client.held += change;
    this.#turns.update(client.tenant);
    client.tenant.turns.update(client);
  }

  #countWaiting(client: Client, change: 1 | -1): void {
    this.#waiting += change;
    client.tenant.waiting += change;
    client.waiting += change;
  }
}

/** How many waiting places a party uses for its weight. */
function placesOf({ waiting, weight }: Party): number {
  return waiting / weight;
}

function mostWaiting<P extends Party>(parties: Iterable<P>): P | undefined {
  let most: P | undefined;
  for (const party of parties) {
    if (most === undefined || placesOf(party) > placesOf(most)) most = party;
  }
  return most;
}

function tooManyCalls(whose: string): ApiError {
  return new ApiError("TOO_MANY_CALLS", `too many calls of the ${whose} are waiting; try again`);
}
