/** What clicks and keys do in the list. */
import {
  type Dispatch,
  type KeyboardEvent,
  type MouseEvent,
  type SetStateAction,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { go } from "../address/use-address.ts";
import { openingOf } from "../folders/open-folder.ts";
import { openingOfEntry } from "./list-entries.ts";
import { listActionOf } from "./list-keys.ts";
import {
  nothingSelected,
  type Selection,
  type SelectMode,
  select,
  selectKnown,
} from "./selection.ts";
import type { ShownList } from "./use-list.ts";

interface ListActions {
  /** The row that keys act on. */
  readonly active: number;
  readonly selection: Selection;
  readonly clearSelection: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onClick: (event: MouseEvent) => void;
  readonly onDoubleClick: (event: MouseEvent) => void;
}

interface ListView {
  readonly viewRows: number;
  readonly reveal: (row: number) => void;
}

export function useListActions(shown: ShownList, view: ListView): ListActions {
  const { entries, reader, address } = shown;
  const [active, setActive] = useState(0);
  const [selection, setSelection] = useState(nothingSelected);
  const rowAt = (index: number) => entries.selectable(index);
  const rowCount = entries.length;

  // Another list begins at its first row, with nothing selected.
  useEffect(() => {
    void reader;
    setActive(0);
    setSelection(nothingSelected);
  }, [reader]);
  // Rows counted from the end have other indexes when the list becomes longer.
  const before = useRef({ reader, rowCount, isFromEnd: false });
  useLayoutEffect(() => {
    const { reader: readerBefore, rowCount: countBefore, isFromEnd } = before.current;
    if (readerBefore !== reader || !isFromEnd || rowCount === countBefore) return;
    const move = rowCount - countBefore;
    setActive((row) => row + move);
    setSelection(({ rows, anchor }) => ({ rows, anchor: anchor + move, missing: [] }));
  }, [reader, rowCount]);
  before.current = { reader, rowCount, isFromEnd: entries.isFromEnd(active) };

  useMissingRows(shown, selection, setSelection);

  const pick = (index: number, mode: SelectMode) => {
    setActive(index);
    setSelection((now) => select(now, index, mode, rowAt));
  };
  const open = (index: number) => {
    const entry = entries.at(index);
    if (entry !== undefined) go(openingOfEntry(entry));
  };
  const move = (to: number, isExtending: boolean) => {
    if (to === rowCount - 1) reader.wantEnd();
    setActive(to);
    if (isExtending) setSelection((now) => select(now, to, "extend", rowAt));
    else setSelection(({ rows }) => ({ rows, anchor: to, missing: [] }));
    view.reveal(to);
  };

  const follow = (index: number, { name, value }: RowLink) => {
    if (name === "open") open(index);
    else if (name === "folder") go({ ...openingOf(value), isRecursive: false });
    else if (!address.tags.includes(value)) go({ tags: [...address.tags, value] });
  };

  return {
    active,
    selection,
    clearSelection: () => setSelection(nothingSelected),
    onKeyDown: (event) => {
      // Buttons of the header have keys of their own.
      if (event.target !== event.currentTarget) return;
      const hasSelection = selection.rows.size > 0;
      const { viewRows } = view;
      const action = listActionOf(event, { active, rowCount, viewRows, hasSelection });
      if (action === undefined) return;
      event.preventDefault();
      if (action.kind === "move") move(action.to, action.isExtending);
      else if (action.kind === "open") open(active);
      else if (action.kind === "toggle") pick(active, "toggle");
      else setSelection(nothingSelected);
    },
    onClick: (event) => {
      const index = rowIndexOf(event.target);
      if (index === undefined) return;
      const mode = modeOf(event);
      const link = actionOf(event.target);
      if (link !== undefined) event.preventDefault();
      if (link === undefined || mode !== "only") return pick(index, mode);
      setActive(index);
      follow(index, link);
    },
    onDoubleClick: (event) => {
      const index = rowIndexOf(event.target);
      if (index !== undefined && actionOf(event.target) === undefined) open(index);
    },
  };
}

/** Has rows of a selected range read that are not known, and selects them then. */
function useMissingRows(
  { entries, reader }: ShownList,
  { missing }: Selection,
  setSelection: Dispatch<SetStateAction<Selection>>,
): void {
  const first = Math.min(...ends(missing));
  const last = Math.max(...ends(missing));
  const folderCount = entries.folders.length;
  useEffect(() => {
    if (first > last) return;
    reader.want({ first: first - folderCount, last: last - folderCount });
    return () => reader.want(undefined);
  }, [reader, first, last, folderCount]);
  useEffect(() => {
    setSelection((now) => {
      if (now.missing.length === 0) return now;
      return selectKnown(now, (index) => entries.selectable(index));
    });
  }, [entries, setSelection]);
}

/** Missing rows are in order, up or down. */
function ends(missing: readonly number[]): number[] {
  return [missing.at(0), missing.at(-1)].filter((index) => index !== undefined);
}

function modeOf(event: MouseEvent): SelectMode {
  if (event.shiftKey) return "extend";
  return event.ctrlKey || event.metaKey ? "toggle" : "only";
}

function rowIndexOf(target: EventTarget): number | undefined {
  const row = target instanceof Element ? target.closest("[data-index]") : null;
  return row instanceof HTMLElement ? Number(row.dataset.index) : undefined;
}

interface RowLink {
  readonly name: string;
  readonly value: string;
}

/** The link or button of a row that was clicked, and what it stands for. */
function actionOf(target: EventTarget): RowLink | undefined {
  const link = target instanceof Element ? target.closest<HTMLElement>("[data-action]") : null;
  return link === null
    ? undefined
    : { name: link.dataset.action ?? "", value: link.dataset.value ?? "" };
}
