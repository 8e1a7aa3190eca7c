/**
 * Tells whether another tenant got a slot recently. Remembering the last two tenants is enough for
 * any number of tenants.
 */

interface Turn {
  readonly tenant: string | undefined;
  readonly atMs: number;
}

const never: Turn = { tenant: undefined, atMs: Number.NEGATIVE_INFINITY };

export class RecentTenants {
  #last = never;
  /** The last turn of any other tenant than that of `#last`. */
  #lastOther = never;

  /** Records that a tenant got a slot. */
  add(tenant: string, atMs: number): void {
    if (tenant !== this.#last.tenant) this.#lastOther = this.#last;
    this.#last = { tenant, atMs };
  }

  /** Whether a tenant other than this one got a slot after `sinceMs`. */
  hasOther(tenant: string, sinceMs: number): boolean {
    const { atMs } = tenant === this.#last.tenant ? this.#lastOther : this.#last;
    return atMs > sinceMs;
  }
}
