/** The outcome of every call. */

/** The kind of call, such as "list". */
type CallKind = string;

/** `right`, the reason of an error answer, `broken` or `wrong: …`. */
export type Outcome = string;

export interface CallRecord {
  readonly kind: CallKind;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly outcome: Outcome;
}

/** Any number of calls; of those that were not right, all details. */
export class CallLog {
  readonly counts = new Map<CallKind, Map<Outcome, number>>();
  #failed: CallRecord[] = [];
  #slowestMs = 0;

  /** Records what a call resolves to. If it rejects, its connection broke. */
  async record(kind: CallKind, call: () => Promise<Outcome>): Promise<Outcome> {
    const startedMs = performance.now();
    const outcome = await call().catch((error: Error) => `broken: ${error.message}`);
    this.add({ kind, startedMs, endedMs: performance.now(), outcome });
    return outcome;
  }

  add(record: CallRecord): void {
    const { kind, outcome, startedMs, endedMs } = record;
    // Messages of broken connections differ, and need not be counted one by one.
    const counted = outcome.startsWith("broken") ? "broken" : outcome;
    const counts = this.counts.get(kind) ?? new Map<Outcome, number>();
    this.counts.set(kind, counts.set(counted, (counts.get(counted) ?? 0) + 1));
    if (outcome !== "right") this.#failed.push(record);
    this.#slowestMs = Math.max(this.#slowestMs, endedMs - startedMs);
  }

  /** Forgets all calls so far. */
  clear(): void {
    this.counts.clear();
    this.#failed = [];
    this.#slowestMs = 0;
  }

  get failed(): readonly CallRecord[] {
    return this.#failed;
  }

  get slowestMs(): number {
    return this.#slowestMs;
  }

  get total(): number {
    let total = 0;
    for (const counts of this.counts.values()) for (const count of counts.values()) total += count;
    return total;
  }

  /**
   * The time from a moment until the last failing call began. Calls that began before the moment do
   * not count, nor do those that began after `untilMs`.
   */
  recoveryMs(sinceMs: number, untilMs = Number.POSITIVE_INFINITY): number {
    const starts = this.#failed
      .map(({ startedMs }) => startedMs)
      .filter((startedMs) => startedMs > sinceMs && startedMs < untilMs);
    return Math.max(sinceMs, ...starts) - sinceMs;
  }

  /** One line for each kind of call: `lists: 1200 right, 30 DATABASE_UNAVAILABLE`. */
  describe(): string[] {
    return Array.from(this.counts, ([kind, counts]) => {
      const parts = Array.from(counts, ([outcome, count]) => `${count} ${outcome}`);
      return `${kind}: ${parts.join(", ")}`;
    });
  }
}
