/** What the page says of sources, and which of them need a word. */
import { formatCount, formatDateTime, formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import type { Source } from "./bucket.ts";

const { buckets } = strings;
const { uploadCount: uploadCountText } = strings.uploads;

/** The name of the state of a source that is being synchronised. */
export const runningState = "SOURCE_STATE_RUNNING";

/** By the names of the states. */
const stateTexts: ReadonlyMap<string, string> = new Map([
  ["SOURCE_STATE_IDLE", buckets.sourceStates.idle],
  [runningState, buckets.sourceStates.running],
  ["SOURCE_STATE_STOPPED", buckets.sourceStates.stopped],
  ["SOURCE_STATE_FAILED", buckets.sourceStates.failed],
  ["SOURCE_STATE_PAUSED", buckets.sourceStates.paused],
]);

/** Empty for a state that this page does not know. */
export function stateTextOf({ state }: Source): string {
  return stateTexts.get(state) ?? "";
}

/** Whether somebody should do something. */
export function isInTrouble({ state }: Source): boolean {
  return state !== runningState && notices.has(state);
}

const notices: ReadonlyMap<string, (name: string) => string> = new Map([
  [runningState, buckets.running],
  ["SOURCE_STATE_STOPPED", buckets.stopped],
  ["SOURCE_STATE_FAILED", buckets.sourceFailed],
]);

interface SourceNotice {
  readonly sourceId: string;
  readonly text: string;
  /** The service's own message, which may tell operators what to do; empty if there is none. */
  readonly message: string;
  readonly isTrouble: boolean;
}

/** A source with a short interval is nearly always running, so that is not reported. */
const recentMs = 3 * 60_000;

/**
 * A line for each source that is not up to date.
 *
 * @param uploadCount uploads in the bucket.
 */
export function sourceNoticesOf(
  sources: readonly Source[],
  uploadCount: number,
  nowMs: number,
): readonly SourceNotice[] {
  return sources.flatMap((source) => {
    const { sourceId, name, state, lastCompleteAtMs } = source;
    const notice = notices.get(state)?.(formatName(name));
    if (notice === undefined || (state === runningState && wasComplete(source, nowMs))) return [];
    if (state === runningState && lastCompleteAtMs === undefined) {
      const uploads = uploadCountText(formatCount(uploadCount), uploadCount === 1);
      const text = buckets.firstRun(formatName(name), uploads);
      return [{ sourceId, text, message: "", isTrouble: false }];
    }
    const isTrouble = isInTrouble(source);
    const lastComplete = buckets.lastComplete(formatDateTime(lastCompleteAtMs));
    const text = isTrouble ? `${notice} ${lastComplete}. ${buckets.askOperator}` : notice;
    return [{ sourceId, text, message: formatName(source.message), isTrouble }];
  });
}

function wasComplete({ lastCompleteAtMs }: Source, nowMs: number): boolean {
  return lastCompleteAtMs !== undefined && nowMs - lastCompleteAtMs < recentMs;
}
