/** Whether the index has what a source has. It is never more than "complete as of a time". */

/**
 * - `incomplete`: its first run has not ended.
 * - `doubtful`: the last run left something in doubt, and said what.
 * - `old`: no run was complete for three intervals of the schedule.
 */
export type Completeness = "complete" | "incomplete" | "doubtful" | "old";

export interface Completed {
  /** What the last run that ended left in doubt, and what to do about it; may be empty. */
  readonly doubt: string;
  /** When the last run that left nothing out began. */
  readonly lastCompleteAt: Date | undefined;
  /** When it is old. Undefined: never, since the source has no schedule. */
  readonly oldAt: Date | undefined;
}

export function completenessOf(
  { doubt, lastCompleteAt, oldAt }: Completed,
  nowMs = Date.now(),
): Completeness {
  if (doubt !== "") return "doubtful";
  if (lastCompleteAt === undefined) return "incomplete";
  return oldAt !== undefined && oldAt.getTime() < nowMs ? "old" : "complete";
}
