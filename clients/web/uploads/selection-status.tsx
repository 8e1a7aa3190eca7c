/** The line under the list: how much there is, or how much of it is selected. */
import { focusList } from "../focus/focus-list.ts";
import { firstFoldersMax } from "../folders/found-folders.ts";
import { formatCount, formatSize } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import { type Selection, selectedMax, sumsOf } from "./selection.ts";
import type { Matches } from "./two-ended-list.ts";
import type { ShownList } from "./use-list.ts";

const text = strings.uploads;

interface SelectionStatusProps {
  readonly shown: ShownList;
  readonly selection: Selection;
  readonly onClear: () => void;
  /** Called when the reader has asked for all folders, or for the first ones. */
  readonly onFolders: () => void;
  /** Whether rows in view are still to be read. */
  readonly isWaiting: boolean;
}

export function SelectionStatus(props: SelectionStatusProps) {
  const { shown, selection, onClear, onFolders, isWaiting } = props;
  const isEmpty = selection.rows.size === 0;
  const { knownRows, length } = shown.entries.list;
  return (
    <div className="list-status">
      <span role="status">{isEmpty ? totalsOf(shown) : selectedText(selection)}</span>
      {isEmpty && <FoldersButton shown={shown} onToggle={onFolders} />}
      {isWaiting && <span>{text.reading(formatCount(knownRows), formatCount(length))}</span>}
      {!isEmpty && (
        <button
          type="button"
          onClick={() => {
            focusList();
            onClear();
          }}
        >
          {text.clearSelection}
        </button>
      )}
    </div>
  );
}

interface FoldersButtonProps {
  readonly shown: ShownList;
  readonly onToggle: () => void;
}

/** Shows the folders that a search has found after the first, and hides them again. */
function FoldersButton({ shown, onToggle }: FoldersButtonProps) {
  const { count, isAllShown, toggle } = shown.foundFolders;
  if (count <= firstFoldersMax) return null;
  return (
    <button
      type="button"
      className="list-all-folders"
      onClick={() => {
        toggle();
        onToggle();
      }}
    >
      {isAllShown ? text.fewerFolders : text.allFolders(formatCount(count))}
    </button>
  );
}

function totalsOf(shown: ShownList): string {
  const { folders, list } = shown.entries;
  if (!shown.hasAnswer) return "";
  if (list.matches !== undefined) return foundOf(shown, list.matches);
  const uploads = list.isLengthKnown
    ? text.uploadCount(formatCount(list.length), list.length === 1)
    : text.atLeast(formatCount(list.knownRows));
  if (folders.length === 0) return uploads;
  return `${uploads}, ${text.folderCount(formatCount(folders.length), folders.length === 1)}`;
}

/** What a search has found: `3 folders, 1,204 files, 2.1 GiB`. */
function foundOf({ foundFolders }: ShownList, matches: Matches): string {
  const { count: folders, hasMore } = foundFolders;
  const { count, isExact, sizeBytes } = matches;
  const files = text.fileCount(countOf(count, !isExact), isExact && count === 1);
  return [
    ...(folders > 0 ? [text.folderCount(countOf(folders, hasMore), folders === 1)] : []),
    files,
    ...(sizeBytes === undefined ? [] : [formatSize(sizeBytes)]),
  ].join(", ");
}

function countOf(count: number, hasMore: boolean): string {
  return hasMore ? text.orMore(formatCount(count)) : formatCount(count);
}

function selectedText(selection: Selection): string {
  const { folders, uploads, sizeBytes } = sumsOf(selection);
  const things = [
    ...(folders > 0 ? [text.folderCount(formatCount(folders), folders === 1)] : []),
    ...(uploads > 0 ? [text.uploadCount(formatCount(uploads), uploads === 1)] : []),
  ];
  const sums = text.selected(things.join(", "), formatSize(sizeBytes));
  return selection.rows.size < selectedMax
    ? sums
    : `${sums}. ${text.selectionFull(formatCount(selectedMax))}`;
}
