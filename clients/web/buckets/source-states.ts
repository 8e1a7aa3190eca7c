/** What the page says of sources, and which of them need a word. */
import { formatCount, formatDateTime, formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import type { Source } from "./bucket.ts";

const { buckets } = strings;
const { uploadCount: uploadCountText } = strings.uploads;

/** The name of the state of a source that is being synchronised. */
export const runningState = "SOURCE_STATE_RUNNING";

const failedState = "SOURCE_STATE_FAILED";
const incompleteIndex = "SOURCE_COMPLETENESS_INCOMPLETE";
const doubtfulIndex = "SOURCE_COMPLETENESS_DOUBTFUL";
const oldIndex = "SOURCE_COMPLETENESS_OLD";

/** By the names of states, and then of completeness: the first that the source has counts. */
const texts: ReadonlyMap<string, string> = new Map([
  [runningState, buckets.sourceStates.running],
  [failedState, buckets.sourceStates.failed],
  [doubtfulIndex, buckets.sourceStates.doubtful],
  [oldIndex, buckets.sourceStates.old],
  ["SOURCE_STATE_PAUSED", buckets.sourceStates.paused],
]);

/** Empty if the time as of which the source is complete says all. */
export function stateTextOf({ state, completeness }: Source): string {
  return [...texts].find(([name]) => name === state || name === completeness)?.[1] ?? "";
}

/** Whether somebody should do something. */
export function isInTrouble({ state, completeness }: Source): boolean {
  return state === failedState || completeness === doubtfulIndex || completeness === oldIndex;
}

/** In the order in which the first that a source has counts. */
const notices: ReadonlyMap<string, (name: string) => string> = new Map([
  [doubtfulIndex, buckets.doubtful],
  [failedState, buckets.sourceFailed],
  [oldIndex, buckets.old],
  [runningState, buckets.running],
  [incompleteIndex, buckets.incomplete],
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
 * A line for each source whose index may lack something that a person looks for.
 *
 * @param uploadCount uploads in the bucket.
 */
export function sourceNoticesOf(
  sources: readonly Source[],
  uploadCount: number,
  nowMs: number,
): readonly SourceNotice[] {
  return sources.flatMap((source) => {
    const { sourceId, state, completeness, completeAsOfMs } = source;
    const name = formatName(source.name);
    const kind = [...notices.keys()].find((each) => each === state || each === completeness);
    const notice = notices.get(kind ?? "")?.(name);
    if (notice === undefined || (kind === runningState && wasComplete(source, nowMs))) return [];
    if (kind === runningState && completeness === incompleteIndex) {
      const uploads = uploadCountText(formatCount(uploadCount), uploadCount === 1);
      const text = buckets.firstRun(name, uploads);
      return [{ sourceId, text, message: "", isTrouble: false }];
    }
    const isTrouble = isInTrouble(source);
    const time = buckets.completeAsOf(formatDateTime(completeAsOfMs));
    const text = isTrouble ? `${notice} ${time}. ${buckets.askOperator}` : notice;
    return [{ sourceId, text, message: formatName(source.message), isTrouble }];
  });
}

function wasComplete({ completeAsOfMs }: Source, nowMs: number): boolean {
  return completeAsOfMs !== undefined && nowMs - completeAsOfMs < recentMs;
}
