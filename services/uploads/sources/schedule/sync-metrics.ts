import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";
import { type Completed, completenessOf } from "../../model/completeness.ts";
import type { RunEnd } from "../runs/end-run.ts";
import type { Outcome } from "../runs/run.ts";

const driftKinds = ["gaps", "wrong", "ghosts"] as const;

export interface ScheduledSource extends Completed {
  readonly outcome: Outcome | undefined;
  /** Whether it waits for its run longer than its interval. */
  readonly isLate: boolean;
}

/** The metrics of runs. No label is from a request or a key. */
export class SyncMetrics {
  readonly #sources: Gauge<"state">;
  readonly #oldestAge: Gauge;
  readonly #running: Gauge;
  readonly #runs: Counter<"outcome">;
  readonly #smallRuns: Counter<"outcome">;
  readonly #durations: Histogram;
  readonly #objects: Counter;
  readonly #changes: Counter<"change">;
  readonly #lookedAgain: Counter;
  readonly #drift: Counter<"kind">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#sources = new Gauge({
      name: "stowage_sync_sources",
      help: "Scheduled sources by how complete they are; also those that failed or wait.",
      labelNames: ["state"],
      registers,
    });
    this.#oldestAge = new Gauge({
      name: "stowage_sync_complete_age_seconds",
      help: "Time since the oldest moment as of which a scheduled source is complete.",
      registers,
    });
    this.#running = new Gauge({
      name: "stowage_sync_runs_running",
      help: "Runs of sources that this process is busy with.",
      registers,
    });
    this.#runs = new Counter({
      name: "stowage_sync_runs_total",
      help: "Runs that have ended: complete, stopped by the guard, or failed.",
      labelNames: ["outcome"],
      registers,
    });
    this.#smallRuns = new Counter({
      name: "stowage_sync_small_runs_total",
      help: "Runs over the keys of hints: complete, or failed, which loses the hints.",
      labelNames: ["outcome"],
      registers,
    });
    this.#durations = new Histogram({
      name: "stowage_sync_run_duration_seconds",
      help: "Time that this process took for a complete run.",
      buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600, 14_400],
      registers,
    });
    this.#objects = new Counter({
      name: "stowage_sync_objects_total",
      help: "Objects in the listings of complete runs.",
      registers,
    });
    this.#changes = new Counter({
      name: "stowage_sync_changes_total",
      help: "Uploads that complete runs added, changed or removed.",
      labelNames: ["change"],
      registers,
    });
    this.#lookedAgain = new Counter({
      name: "stowage_sync_looked_again_total",
      help: "Objects of stores that runs read again at random places.",
      registers,
    });
    this.#drift = new Counter({
      name: "stowage_sync_drift_total",
      help: "Of these, those that differed from the index though they had not changed.",
      labelNames: ["kind"],
      registers,
    });
    for (const kind of driftKinds) this.#drift.inc({ kind }, 0);
    for (const outcome of ["complete", "stopped", "failed"]) this.#runs.inc({ outcome }, 0);
    for (const outcome of ["complete", "failed"]) this.#smallRuns.inc({ outcome }, 0);
    for (const change of ["new", "changed", "gone"]) this.#changes.inc({ change }, 0);
  }

  /** @param sources all that run by themselves, in the database that all processes share. */
  setSources(sources: readonly ScheduledSource[]): void {
    const nowMs = Date.now();
    const states = sources.map((source) => completenessOf(source, nowMs));
    for (const state of ["complete", "incomplete", "doubtful", "old"] as const) {
      this.#sources.set({ state }, states.filter((each) => each === state).length);
    }
    const failed = sources.filter(({ outcome }) => outcome === "failed");
    this.#sources.set({ state: "failed" }, failed.length);
    this.#sources.set({ state: "late" }, sources.filter(({ isLate }) => isLate).length);
    const times = sources.map(({ lastCompleteAt }) => lastCompleteAt?.getTime() ?? nowMs);
    this.#oldestAge.set((nowMs - Math.min(nowMs, ...times)) / 1000);
  }

  countSmallRun(outcome: "complete" | "failed"): void {
    this.#smallRuns.inc({ outcome });
  }

  /** Call it when a run begins, and `end` when it ends; without an outcome it does not count. */
  begin(): { end(outcome: Outcome | undefined, run?: Pick<RunEnd, "counts" | "drift">): void } {
    const beganAtMs = performance.now();
    this.#running.inc();
    return {
      end: (outcome, run) => {
        this.#running.dec();
        if (outcome !== undefined) this.#runs.inc({ outcome });
        const { counts, drift } = run ?? {};
        if (drift !== undefined) this.#lookedAgain.inc(drift.looked);
        for (const kind of driftKinds) this.#drift.inc({ kind }, drift?.[kind] ?? 0);
        if (outcome !== "complete" || counts === undefined) return;
        this.#durations.observe((performance.now() - beganAtMs) / 1000);
        this.#objects.inc(counts.objects);
        for (const change of ["new", "changed", "gone"] as const) {
          this.#changes.inc({ change }, counts[change]);
        }
      },
    };
  }
}
