/**
 * Collects hints of changes in memory, and starts small runs. Hints may be lost, and a process that
 * ends loses those that wait: the next run on the schedule finds what they were about.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { errorText, type Logger } from "@stowage/process";
import { query } from "../../postgres/named-parameters.ts";
import type { Key } from "../keys.ts";
import { SourceBusyError } from "../runs/lease.ts";
import { runHints } from "../runs/run-hints.ts";
import type { RunOptions } from "../runs/run-source.ts";
import type { SyncMetrics } from "./sync-metrics.ts";

interface HintedOptions extends Pick<RunOptions, "pool" | "openSource" | "leaseMs" | "signal"> {
  /** Small runs at the same time. */
  readonly sourcesAtOnceMax: number;
  readonly metrics: Pick<SyncMetrics, "countSmallRun">;
  readonly logger: Logger;
}

/** For this time, keys are collected; while a source is busy, so often it is tried again. */
const collectMs = 1000;
/** With more keys, listing everything is no slower. */
const keysMax = 10_000;

interface Waiting {
  readonly keys: Set<Key> | "everything";
  readonly stored: PromiseWithResolvers<boolean>;
}

function noneWaiting(): Waiting {
  return { keys: new Set(), stored: Promise.withResolvers() };
}

export class HintedRuns {
  readonly #options: HintedOptions;
  /** By the name of their source. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #working = new Map<string, Promise<void>>();
  #running = 0;

  constructor(options: HintedOptions) {
    this.#options = options;
  }

  /**
   * Takes keys that may have changed, or "everything" to have a whole run at once. Resolves when
   * the small run is stored, or a run is due, with false if that has failed.
   */
  add(source: string, changed: readonly Key[] | "everything"): Promise<boolean> {
    const { keys, stored } = this.#waiting.get(source) ?? noneWaiting();
    const isKnown = keys !== "everything" && changed !== "everything";
    if (isKnown) for (const key of changed) keys.add(key);
    const tooMany = !isKnown || keys.size > keysMax;
    this.#waiting.set(source, { keys: tooMany ? "everything" : keys, stored });
    if (!this.#working.has(source)) this.#working.set(source, this.#work(source));
    return stored.promise;
  }

  /** Waits for the small runs to end. Call it when the signal has aborted. */
  async ended(): Promise<void> {
    await Promise.all(this.#working.values());
  }

  async #work(source: string): Promise<void> {
    const { signal, sourcesAtOnceMax } = this.#options;
    while (this.#waiting.has(source)) {
      await sleep(collectMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (this.#running >= sourcesAtOnceMax) continue;
      this.#running += 1;
      await this.#runWaiting(source);
      this.#running -= 1;
    }
    this.#working.delete(source);
  }

  async #runWaiting(source: string): Promise<void> {
    const { signal, logger, metrics } = this.#options;
    const { keys, stored } = this.#waiting.get(source) ?? noneWaiting();
    const changed = keys === "everything" ? keys : [...keys];
    this.#waiting.delete(source);
    try {
      await this.#run(source, changed);
      stored.resolve(true);
    } catch (error) {
      if (error instanceof SourceBusyError) void this.add(source, changed).then(stored.resolve);
      else stored.resolve(false);
      if (!(error instanceof SourceBusyError || signal.aborted)) {
        metrics.countSmallRun("failed");
        const message = "hints of changes are lost; the next run finds what they were about";
        logger.warn({ source, reason: errorText(error) }, message);
      }
    }
  }

  async #run(source: string, changed: readonly Key[] | "everything"): Promise<void> {
    const { pool, logger, metrics } = this.#options;
    if (changed === "everything") {
      const { rowCount } = await query(pool, makeDue, { source });
      if (rowCount === 0) throw new SourceBusyError("Cannot make the source due: it is busy");
      return;
    }
    const end = await runHints(source, changed, this.#options);
    metrics.countSmallRun("complete");
    logger.info({ source, keys: changed.length, ...end }, "a small run is complete");
  }
}

// The end of a run that is under way would set the time again. A source that is gone, or has no
// schedule, counts as done.
const makeDue = `
  with free as (
    update uploads.sources set next_run_at = clock_timestamp()
    where name = :source and every is not null
      and (lease_until is null or lease_until <= clock_timestamp())
    returning 1)
  select from free union all
  select where not exists (select from uploads.sources where name = :source and every is not null)`;
