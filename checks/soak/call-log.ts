/** The outcome and the time of every call. */

export interface CallRecord {
  /** Such as `list`. */
  readonly kind: string;
  readonly startedMs: number;
  readonly endedMs: number;
  /** `right`, the reason of an error answer, `broken: …` or `wrong: …`. */
  readonly outcome: string;
}

export class CallLog {
  records: CallRecord[] = [];

  /** Records what a call resolves to. If it rejects, its connection broke. */
  async record(kind: string, call: () => Promise<string>): Promise<string> {
    const startedMs = performance.now();
    const outcome = await call().catch((error: Error) => `broken: ${error.message}`);
    this.records.push({ kind, startedMs, endedMs: performance.now(), outcome });
    return outcome;
  }

  /** The time from a moment until the last failing call since then began. */
  recoveryMs(sinceMs: number): number {
    const last = this.records.findLast(
      ({ outcome, startedMs }) => outcome !== "right" && startedMs > sinceMs,
    );
    return (last?.startedMs ?? sinceMs) - sinceMs;
  }

  /** One line for each kind of call: `list: 1200 right, 30 DATABASE_UNAVAILABLE`. */
  describe(): string[] {
    return Array.from(
      Map.groupBy(this.records, ({ kind }) => kind),
      ([kind, records]) => {
        // Messages of broken connections and wrong answers differ.
        const outcomes = Map.groupBy(records, ({ outcome }) => outcome.replace(/:.*/s, ""));
        const counts = Array.from(outcomes, ([name, { length }]) => `${length} ${name}`);
        return `${kind}: ${counts.join(", ")}`;
      },
    );
  }
}
