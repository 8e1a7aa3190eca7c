/** The tenants and clients that hold a slot or wait for one. Others are forgotten. */
import { FairScheduler, type Flow, newFlow } from "./fair-scheduler.ts";

/** A call that waits for a slot. */
export interface WaitingCall {
  readonly sinceMs: number;
  /** See `QueueCaller`. */
  readonly revoke: (() => void) | undefined;
  readonly resolve: (release: () => void) => void;
  readonly reject: (reason: unknown) => void;
  readonly stopListening: () => void;
}

export interface Tenant extends Flow {
  readonly name: string;
  readonly clients: Map<string, Client>;
  readonly scheduler: FairScheduler<Client>;
}

export interface Client extends Flow {
  readonly name: string;
  readonly tenant: Tenant;
  /** Those that wait, oldest first. */
  readonly calls: Set<WaitingCall>;
}

export class ActiveTenants {
  readonly #tenants = new Map<string, Tenant>();
  readonly #weightOf: (tenant: string) => number;

  constructor(weightOf: (tenant: string) => number) {
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#tenants.size;
  }

  /** The clients of all tenants. */
  clients(): Client[] {
    return [...this.#tenants.values()].flatMap(({ clients }) => [...clients.values()]);
  }

  /** Finds or adds the client. */
  clientOf(caller: { readonly tenant: string; readonly client: string }): Client {
    const tenant = this.#tenants.get(caller.tenant) ?? this.#addTenant(caller.tenant);
    const known = tenant.clients.get(caller.client);
    if (known !== undefined) return known;
    const client = { name: caller.client, tenant, ...newFlow(1), calls: new Set<WaitingCall>() };
    tenant.clients.set(client.name, client);
    return client;
  }

  #addTenant(name: string): Tenant {
    const flow = newFlow(this.#weightOf(name));
    const scheduler = new FairScheduler<Client>();
    const tenant: Tenant = { name, ...flow, clients: new Map(), scheduler };
    this.#tenants.set(name, tenant);
    return tenant;
  }

  forgetIfIdle(client: Client): void {
    const { tenant } = client;
    if (client.held === 0 && client.waiting === 0) tenant.clients.delete(client.name);
    if (tenant.clients.size === 0) this.#tenants.delete(tenant.name);
  }
}
