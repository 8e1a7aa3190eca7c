/** Metrics of the signing keys, read whenever metrics are. All processes have the same keys. */
import { Gauge, type Registry } from "@prometheus-io/client";
import type { KeyRing } from "./key-ring.ts";

/** The states of keys in the key set. */
const states = ["published", "signing", "retired"] as const;

/** Registers the metrics. */
export function measureKeys(registry: Registry, keys: Pick<KeyRing, "states" | "readAgeMs">): void {
  const registers = [registry];
  new Gauge({
    name: "stowage_authorisation_signing_keys",
    help: "Keys in the key set, by state: published and will sign, signing, or retired.",
    labelNames: ["state"],
    aggregator: "max",
    registers,
    collect() {
      for (const state of states) {
        this.set({ state }, keys.states.filter((key) => key.state === state).length);
      }
    },
  });
  new Gauge({
    name: "stowage_authorisation_signing_key_created_timestamp_seconds",
    help: "Unix time when the newest key of a state was created.",
    labelNames: ["state"],
    aggregator: "max",
    registers,
    collect() {
      this.reset();
      for (const { state, createdAtMs } of keys.states.toReversed()) {
        this.set({ state }, createdAtMs / 1000);
      }
    },
  });
  new Gauge({
    name: "stowage_authorisation_signing_keys_read_age_seconds",
    help: "Time since the keys were read from the database. A process signs for 10 s without it.",
    aggregator: "max",
    registers,
    collect() {
      this.set(keys.readAgeMs / 1000);
    },
  });
}
