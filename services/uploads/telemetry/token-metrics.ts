import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";
import type { CacheStatistics, KeySetEvent } from "@stowage/access-token";

/** The metrics of the issuer's keys and of the denylist, which tokens are checked against. */
export class TokenMetrics {
  readonly #registry: Registry;
  readonly #fetches: Histogram<"result">;
  readonly #keys: Gauge;
  readonly #unknownKeys: Counter<"result">;

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    this.#fetches = new Histogram({
      name: "stowage_key_set_fetch_duration_seconds",
      help: "Fetches of the issuer's keys, by result.",
      labelNames: ["result"],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5],
      registers,
    });
    this.#keys = new Gauge({
      name: "stowage_key_set_keys",
      help: "The issuer's current keys. 0 before the first fetch.",
      aggregator: "min",
      registers,
    });
    this.#unknownKeys = new Counter({
      name: "stowage_key_set_unknown_keys_total",
      help: "Calls whose key was not known yet: found by a fetch, or why they were refused.",
      labelNames: ["result"],
      registers,
    });
  }

  keySetEvent(event: KeySetEvent): void {
    switch (event.type) {
      case "fetched":
        this.#fetches.observe({ result: "fetched" }, event.durationMs / 1000);
        this.#keys.set(event.keyIds.length);
        break;
      case "fetchFailed":
        this.#fetches.observe({ result: "failed" }, event.durationMs / 1000);
        break;
      case "requestFound":
        this.#unknownKeys.inc({ result: "found" });
        break;
      case "requestRefused":
        this.#unknownKeys.inc({ result: event.reason });
    }
  }

  /** Follows the cache of verified tokens. */
  watchCache(statistics: () => CacheStatistics): void {
    const registers = [this.#registry];
    let before = statistics();
    new Counter({
      name: "stowage_token_cache_lookups_total",
      help: "Tokens that were looked up in the cache of verified tokens, by result: hit or miss.",
      labelNames: ["result"],
      registers,
      collect() {
        const { hits, misses } = statistics();
        this.inc({ result: "hit" }, hits - before.hits);
        this.inc({ result: "miss" }, misses - before.misses);
        before = statistics();
      },
    });
    new Gauge({
      name: "stowage_token_cache_entries",
      help: "Tokens in the caches of verified tokens of all workers.",
      registers,
      collect() {
        this.set(statistics().entries);
      },
    });
  }

  watchDenylist(denylist: { readonly lagMs: number }): void {
    new Gauge({
      name: "stowage_denylist_lag_seconds",
      help: "Age of the denylist of revoked tokens; before the first read, time since the start.",
      // Of all workers, the one that is furthest behind.
      aggregator: "max",
      registers: [this.#registry],
      collect() {
        const lagS = denylist.lagMs / 1000;
        // Workers send their metrics as JSON, which has no infinite numbers.
        this.set(Number.isFinite(lagS) ? lagS : process.uptime());
      },
    });
  }
}
