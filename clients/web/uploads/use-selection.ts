/** Which row keys act on, and which rows are selected, as the list changes under them. */
import {
  type Dispatch,
  type SetStateAction,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { isFolder } from "./list-entries.ts";
import { nothingSelected, type Selection, selectKnown } from "./selection.ts";
import type { ShownList } from "./use-list.ts";

export function useSelection(shown: ShownList) {
  const { entries, reader } = shown;
  const [row, setRow] = useState(firstRow);
  const [selection, setSelection] = useState(nothingSelected);
  const rowCount = entries.length;
  // The upload may be in another row of a list that was read again.
  const active = useMemo(() => entries.indexOfUpload(row.uploadId) ?? row.index, [entries, row]);

  // Another list begins at its first row, with nothing selected.
  useEffect(() => {
    void reader;
    setRow(firstRow);
    setSelection(nothingSelected);
  }, [reader]);
  // Rows counted from the end have other indexes when the list becomes longer.
  const before = useRef({ reader, rowCount, isFromEnd: false });
  useLayoutEffect(() => {
    const { reader: readerBefore, rowCount: countBefore, isFromEnd } = before.current;
    if (readerBefore !== reader || !isFromEnd || rowCount === countBefore) return;
    const move = rowCount - countBefore;
    setRow(({ index, uploadId }) => ({ index: index + move, uploadId }));
    setSelection(({ rows, anchor }) => ({ rows, anchor: anchor + move, missing: [] }));
  }, [reader, rowCount]);
  useLayoutEffect(() => {
    before.current = { reader, rowCount, isFromEnd: entries.isFromEnd(active) };
  });
  useLayoutEffect(() => {
    if (active === row.index) return;
    setRow({ index: active, uploadId: row.uploadId });
    setSelection((now) =>
      now.anchor === row.index ? { ...now, anchor: active, missing: [] } : now,
    );
  }, [active, row]);
  useMissingRows(shown, selection, setSelection);
  const setActive = (index: number) => setRow({ index, uploadId: uploadIdAt(shown, index) });
  return { active, setActive, selection, setSelection };
}

/** The row that keys act on. */
interface ActiveRow {
  readonly index: number;
  /** Empty for a folder, and for a row that is not known. */
  readonly uploadId: string;
}

const firstRow: ActiveRow = { index: 0, uploadId: "" };

function uploadIdAt({ entries }: ShownList, index: number): string {
  const entry = entries.at(index);
  return entry === undefined || isFolder(entry) ? "" : entry.id;
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
    reader.setPinnedRange({ first: first - folderCount, last: last - folderCount });
    return () => reader.setPinnedRange(undefined);
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
