/**
 * Shares slots, for example database connections, among tenants, and a tenant's slots among its
 * clients.
 *
 * - A free slot is taken at once. A tenant that is alone may hold all slots. While another one is
 *   active (it got a slot in the last second), a tenant may hold half of the slots; one of weight
 *   w, w / (w + 1) of them. So it leaves processors to the other.
 * - When all slots are taken, calls wait. A released slot goes to the waiting tenant that holds the
 *   fewest in proportion to its weight, within it to the client that holds the fewest, and then
 *   to its oldest call.
 * - There are reserved slots in addition, which only a tenant that holds no slot may take. So long
 *   calls of others do not delay such a tenant.
 * - While a tenant or a client waits that holds less than half of what another one does, a slot of
 *   the one that holds the most is revoked and given to it, if it was held for long: one in each
 *   sweep.
 * - A tenant may use half of the waiting places, and each of its clients half of those. If all
 *   places are taken, the tenant that uses the most in proportion gives one up to a tenant that
 *   uses fewer: its newest call is refused.
 *
 * Memory is bounded by the slots and the places: tenants and clients without a call are forgotten.
 */
import { ApiError } from "../model/api-error.ts";
import { ActiveTenants, type Client, type Tenant, type WaitingCall } from "./active-tenants.ts";
import { FairScheduler, type Flow } from "./fair-scheduler.ts";
import { RecentTenants } from "./recent-tenants.ts";
import { type Heir, isWaiting, type RevocableSlot, RevocableSlots } from "./revocable-slots.ts";

/** A tenant is active for this long after it got a slot. */
const activeMs = 1000;

/** On whose behalf a call is made. */
interface QueueCaller {
  readonly tenant: string;
  readonly client: string;
  /**
   * Called when the slot is revoked: the call must end soon and release it. If it is missing, the
   * slot is never revoked.
   */
  readonly revoke?: (() => void) | undefined;
}

/** Releases a slot. Only the first call has an effect. */
export type ReleaseSlot = () => void;

interface FairQueueOptions {
  readonly slots: number;
  readonly reservedSlots: number;
  /** Waiting places of all tenants together. */
  readonly waitingMax: number;
  /** The weight of a tenant, at least 1. Clients of one tenant are equal. */
  readonly weightOf: (tenant: string) => number;
  /** The longest wait. After that, asking another server is better for the caller. */
  readonly waitMaxMs: number;
  /** A slot that is held for so long may be revoked. Default: none. */
  readonly revocableAfterMs?: number | undefined;
  /** Default: `performance.now`. */
  readonly nowMs?: () => number;
}

export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #tenants: ActiveTenants;
  readonly #scheduler = new FairScheduler<Tenant>();
  readonly #recent = new RecentTenants();
  readonly #revocable = new RevocableSlots();
  readonly #nowMs: () => number;
  #held = 0;
  #waiting = 0;
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#tenants = new ActiveTenants(options.weightOf);
    this.#nowMs = options.nowMs ?? (() => performance.now());
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

  /**
   * Takes a slot, or waits for one. Rejects with the signal's reason when it aborts, and with
   * `ApiError` TOO_MANY_CALLS if the caller has used up its waiting places, or SERVER_BUSY if
   * others have or if it has waited for `waitMaxMs`, give or take a tenth.
   */
  async acquire(caller: QueueCaller, signal: AbortSignal): Promise<ReleaseSlot> {
    signal.throwIfAborted();
    const client = this.#tenants.clientOf(caller);
    const { tenant } = client;
    if (tenant.waiting === 0 && this.#mayTake(tenant)) return this.#take(client, caller.revoke);
    try {
      this.#requirePlace(client);
    } catch (error) {
      this.#tenants.forgetIfIdle(client);
      throw error;
    }
    return this.#wait(client, caller.revoke, signal);
  }

  /** Whether a slot is free that the tenant may take. */
  #mayTake({ name, held, weight }: Tenant): boolean {
    const { slots, reservedSlots } = this.#options;
    if (held === 0) return this.#held < slots + reservedSlots;
    if (this.#held >= slots) return false;
    const isWithinHalf = held < Math.ceil((slots * weight) / (weight + 1));
    return isWithinHalf || !this.#recent.hasOther(name, this.#nowMs() - activeMs);
  }

  #wait(client: Client, revoke: QueueCaller["revoke"], signal: AbortSignal): Promise<ReleaseSlot> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#leave(client, call);
        reject(signal.reason);
      };
      const stopListening = () => signal.removeEventListener("abort", onAbort);
      const sinceMs = this.#nowMs();
      const call: WaitingCall = { sinceMs, revoke, resolve, reject, stopListening };
      signal.addEventListener("abort", onAbort, { once: true });
      client.calls.add(call);
      if (client.waiting === 0) client.tenant.scheduler.join(client);
      if (client.tenant.waiting === 0) this.#scheduler.join(client.tenant);
      this.#countWaiting(client, 1);
      // If the others are no longer active, calls that came before may take slots as well.
      this.#serveWaiting();
      this.#sweepLater();
    });
  }

  // One timer for all calls: a timer for each would cost more than most waits. Sockets keep the
  // process running, not this.
  #sweepLater(): void {
    this.#sweep ??= setTimeout(() => {
      this.#sweep = undefined;
      this.#refuseOldest();
      this.#serveWaiting();
      this.#revokeOne();
      if (this.#waiting > 0) this.#sweepLater();
    }, this.#options.waitMaxMs / 10).unref();
  }

  #refuseOldest(): void {
    const latestMs = this.#nowMs() - this.#options.waitMaxMs;
    for (const client of this.#tenants.clients()) {
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
    if (client.waiting === 0) client.tenant.scheduler.leave(client);
    if (client.tenant.waiting === 0) this.#scheduler.leave(client.tenant);
    this.#tenants.forgetIfIdle(client);
  }

  #take(client: Client, revoke: QueueCaller["revoke"]): ReleaseSlot {
    const { tenant } = client;
    const sinceMs = this.#nowMs();
    this.#countHeld(client, 1);
    this.#recent.add(tenant.name, sinceMs);
    const slot: RevocableSlot | undefined = revoke && { client, sinceMs, revoke };
    if (slot !== undefined) this.#revocable.add(slot);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (slot !== undefined) this.#revocable.delete(slot);
      this.#countHeld(client, -1);
      if (slot?.heir !== undefined && isWaiting(slot.heir)) this.#serve(slot.heir);
      this.#serveWaiting();
      this.#tenants.forgetIfIdle(client);
    };
  }

  #revokeOne(): void {
    const { revocableAfterMs } = this.#options;
    if (revocableAfterMs === undefined) return;
    const waiting = this.#scheduler.all.flatMap(({ scheduler }) => scheduler.first ?? []);
    this.#revocable.revokeOne(waiting, this.#nowMs() - revocableAfterMs);
  }

  /** Gives free slots to waiting calls. */
  #serveWaiting(): void {
    // If the first tenant may take none, nor may the others: they hold more for their weights.
    for (let tenant = this.#scheduler.first; tenant !== undefined; tenant = this.#scheduler.first) {
      const client = tenant.scheduler.first;
      const [call] = client?.calls ?? [];
      if (client === undefined || call === undefined || !this.#mayTake(tenant)) return;
      this.#serve({ client, call });
    }
  }

  #serve({ client, call }: Heir): void {
    call.stopListening();
    client.calls.delete(call);
    this.#countWaiting(client, -1);
    const release = this.#take(client, call.revoke);
    client.tenant.scheduler.served(client);
    this.#scheduler.served(client.tenant);
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
    const largest = mostWaiting(this.#scheduler.all);
    const client = largest && mostWaiting(largest.scheduler.all);
    const call = client && [...client.calls].at(-1);
    const afterwards = (tenant.waiting + 1) / tenant.weight;
    if (client === undefined || call === undefined || afterwards >= placesOf(client.tenant)) {
      throw new ApiError("SERVER_BUSY", "too many calls are waiting; try again");
    }
    this.#leave(client, call);
    call.reject(tooManyCalls("organisation"));
  }

  #countHeld(client: Client, change: 1 | -1): void {
    this.#held += change;
    client.tenant.held += change;
    client.held += change;
  }

  #countWaiting(client: Client, change: 1 | -1): void {
    this.#waiting += change;
    client.tenant.waiting += change;
    client.waiting += change;
  }
}

/** How many waiting places a flow uses in proportion to its weight. */
function placesOf({ waiting, weight }: Flow): number {
  return waiting / weight;
}

function mostWaiting<F extends Flow>(flows: Iterable<F>): F | undefined {
  let most: F | undefined;
  for (const flow of flows) {
    if (most === undefined || placesOf(flow) > placesOf(most)) most = flow;
  }
  return most;
}

function tooManyCalls(whose: string): ApiError {
  return new ApiError("TOO_MANY_CALLS", `too many calls of the ${whose} are waiting; try again`);
}
