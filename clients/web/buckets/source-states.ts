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

/** A line for each source that is not in step, with the service's own message. */
export function sourceNoticesOf(sources: readonly Source[]): readonly SourceNotice[] {
  return sources.flatMap(({ sourceId, name, state, message }) => {
    const notice = notices[state]?.(name);
    if (notice === undefined) return [];
    const text = message === "" ? notice : `${notice} ${message}`;
    return [{ sourceId, text, isTrouble: state !== SourceState.RUNNING }];
  });
}
