/** What the page says of sources, and which of them need a word. */
import { type Source, SourceState } from "@stowage/api/stowage/v1/buckets_service_pb";
import { strings } from "../text/strings.ts";

const { buckets } = strings;

export const sourceStateTexts: Readonly<Record<SourceState, string>> = {
  [SourceState.UNSPECIFIED]: "",
  [SourceState.IDLE]: buckets.sourceStates.idle,
  [SourceState.RUNNING]: buckets.sourceStates.running,
  [SourceState.STOPPED]: buckets.sourceStates.stopped,
  [SourceState.FAILED]: buckets.sourceStates.failed,
  [SourceState.PAUSED]: buckets.sourceStates.paused,
};

const notices: Partial<Readonly<Record<SourceState, (name: string) => string>>> = {
  [SourceState.RUNNING]: buckets.running,
  [SourceState.STOPPED]: buckets.stopped,
  [SourceState.FAILED]: buckets.sourceFailed,
};

interface SourceNotice {
  readonly sourceId: string;
  readonly text: string;
  /** Whether somebody should do something. */
  readonly isTrouble: boolean;
}

/** Sources that are looked at all the time are always under way: that is no news. */
const recentMs = 3 * 60_000;

/** A line for each source that is not in step, with the service's own message. */
export function sourceNoticesOf(
  sources: readonly Source[],
  nowMs: number,
): readonly SourceNotice[] {
  return sources.flatMap((source) => {
    const { sourceId, name, state, message } = source;
    const notice = notices[state]?.(name);
    const isRunning = state === SourceState.RUNNING;
    if (notice === undefined || (isRunning && wasComplete(source, nowMs))) return [];
    const text = message === "" ? notice : `${notice} ${message}`;
    return [{ sourceId, text, isTrouble: !isRunning }];
  });
}

function wasComplete({ lastCompleteAt }: Source, nowMs: number): boolean {
  return lastCompleteAt !== undefined && nowMs - Number(lastCompleteAt.seconds) * 1000 < recentMs;
}
