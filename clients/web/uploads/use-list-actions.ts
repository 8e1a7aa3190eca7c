/** What clicks and keys do in the list. */
import { type KeyboardEvent, type MouseEvent, useEffect, useEffectEvent, useRef } from "react";
import { go } from "../address/use-address.ts";
import { withTag } from "../query/edit-query.ts";
import { openingInList, openingOfEntry } from "./list-entries.ts";
import { listActionOf } from "./list-keys.ts";
import { nothingSelected, type Selection, type SelectMode, select } from "./selection.ts";
import type { ShownList } from "./use-list.ts";
import { useSelection } from "./use-selection.ts";

interface ListActions {
  /** The row that keys act on. */
  readonly active: number;
  readonly selection: Selection;
  readonly clearSelection: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onClick: (event: MouseEvent<HTMLElement>) => void;
  readonly onDoubleClick: (event: MouseEvent) => void;
}

interface ListView {
  readonly viewRows: number;
  readonly reveal: (row: number) => void;
}

export function useListActions(shown: ShownList, view: ListView): ListActions {
  const { entries, reader, address } = shown;
  const { active, setActive, selection, setSelection } = useSelection(shown);
  useOpenRow(address.upload, (id) => {
    const index = entries.indexOfUpload(id);
    if (index === undefined) return;
    setActive(index);
    view.reveal(index);
  });
  useLeftFolder(shown, (index) => {
    setActive(index);
    view.reveal(index);
  });
  const rowAt = (index: number) => entries.selectable(index);
  const rowCount = entries.length;

  const pick = (index: number, mode: SelectMode) => {
    setActive(index);
    setSelection((now) => select(now, index, mode, rowAt));
  };
  const open = (index: number) => {
    const entry = entries.at(index);
    if (entry !== undefined) go(openingOfEntry(entry, address.query));
  };
  const move = (to: number, isExtending: boolean) => {
    if (to === rowCount - 1) reader.requestEnd();
    setActive(to);
    if (isExtending) setSelection((now) => select(now, to, "extend", rowAt));
    else setSelection(({ rows }) => ({ rows, anchor: to, missing: [] }));
    view.reveal(to);
  };

  const follow = (index: number, { name, value }: RowLink) => {
    if (name === "open") open(index);
    else if (name === "folder") go({ ...openingInList(value, address.query), isRecursive: false });
    else go({ query: withTag(address.query, value) });
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
      // The link that was clicked has the focus, but keys are for the grid.
      event.currentTarget.focus({ preventScroll: true });
      const mode = modeOf(event);
      const link = actionOf(event.target);
      if (link !== undefined) event.preventDefault();
      if (isTouch(event) && link === undefined) {
        if (isOnIcon(event.target)) pick(index, "toggle");
        else open(index);
        return;
      }
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

/** The row of an upload becomes the active one when the panel shows it. */
function useOpenRow(uploadId: string, show: (id: string) => void): void {
  const showNow = useEffectEvent(show);
  useEffect(() => {
    if (uploadId !== "") showNow(uploadId);
  }, [uploadId]);
}

/** The row of a folder becomes the active one when the reader goes from it to the one above. */
function useLeftFolder({ entries, reader, address }: ShownList, show: (index: number) => void) {
  const left = useRef(address.folder);
  const showNow = useEffectEvent(() => {
    const index = entries.folders.findIndex(({ path }) => path === left.current);
    left.current = address.folder;
    if (index !== -1) show(index);
  });
  useEffect(() => {
    void reader;
    showNow();
  }, [reader]);
}

function modeOf(event: MouseEvent): SelectMode {
  if (event.shiftKey) return "extend";
  return event.ctrlKey || event.metaKey ? "toggle" : "only";
}

/** A finger has neither Ctrl nor a second button: it opens rows, and selects them by their icon. */
function isTouch({ nativeEvent }: MouseEvent): boolean {
  return nativeEvent instanceof PointerEvent && nativeEvent.pointerType === "touch";
}

function isOnIcon(target: EventTarget): boolean {
  return target instanceof Element && target.closest(".list-icon") !== null;
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
