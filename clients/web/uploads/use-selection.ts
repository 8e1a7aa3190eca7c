/** Which row keys act on, and which rows are selected, as the list changes under them. */
import {
  type Dispatch,
  type SetStateAction,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { isFolder } from "./list-entries.ts";
import { nothingSelected, type Selection, selectKnown } from "./selection.ts";
import type { ShownList } from "./use-list.ts";

export function useSelection(shown: ShownList) {
  const { entries, reader } = shown;
  const [active, setActive] = useState(0);
  const [selection, setSelection] = useState(nothingSelected);
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
  useLayoutEffect(() => {
    before.current = { reader, rowCount, isFromEnd: entries.isFromEnd(active) };
  });
  useMovedUpload(shown, active, (index) => {
    setActive(index);
    // A range that begins elsewhere may have moved, or not.
    setSelection((now) => (now.anchor === active ? { ...now, anchor: index, missing: [] } : now));
  });
  useMissingRows(shown, selection, setSelection);
  return { active, setActive, selection, setSelection };
}

/**
 * Follows the active upload to another row when a list that was read again has it there: keys must
 * not open another one. Its new row may be on a page that is read later.
 */
function useMovedUpload(
  { entries, reader }: ShownList,
  active: number,
  move: (index: number) => void,
): void {
  const followed = useRef({ reader, active, id: "" });
  const moveNow = useEffectEvent(move);
  useLayoutEffect(() => {
    const entry = entries.at(active);
    const id = entry === undefined || isFolder(entry) ? "" : entry.id;
    const { reader: readerBefore, active: activeBefore, id: idBefore } = followed.current;
    const isOtherRow = readerBefore !== reader || activeBefore !== active;
    if (isOtherRow || idBefore === "") followed.current = { reader, active, id };
    else if (id !== idBefore) {
      const index = entries.indexOfUpload(idBefore);
      if (index !== undefined && index !== active) moveNow(index);
    }
  }, [entries, reader, active]);
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
