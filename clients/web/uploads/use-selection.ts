/** Which row keys act on, and which rows are selected, as the list changes under them. */
import {
  type Dispatch,
  type SetStateAction,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
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
  useMissingRows(shown, selection, setSelection);
  return { active, setActive, selection, setSelection };
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
