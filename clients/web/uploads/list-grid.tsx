/** The rows of the list. Only those in view are drawn. */
import { useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { usePaneFocus } from "../focus/use-pane-focus.ts";
import { strings } from "../text/strings.ts";
import { shownColumns } from "./list-columns.ts";
import { ListHead } from "./list-head.tsx";
import { isDeep } from "./list-query.ts";
import { ListRow, rowId } from "./list-row.tsx";
import { SelectionStatus } from "./selection-status.tsx";
import { useIsNarrow } from "./use-is-narrow.ts";
import type { ShownList } from "./use-list.ts";
import { useListActions } from "./use-list-actions.ts";
import { useScrollWindow } from "./use-scroll-window.ts";

/** The heights that upload-list.css gives rows. */
const rowPx = 34;
const narrowRowPx = 52;

/**
 * A table whose rows can be selected and moved through. Its rows and cells follow from the role.
 * ARIA in HTML allows it, which the linter does not know.
 */
function gridProps({ entries, isFormer }: ShownList, activeId: string | undefined) {
  return {
    role: "grid",
    tabIndex: 0,
    "aria-label": strings.uploads.label,
    "aria-multiselectable": true,
    "aria-rowcount": entries.list.isLengthKnown ? entries.length + 1 : -1,
    "aria-busy": isFormer || undefined,
    "aria-activedescendant": activeId,
  } as const;
}

export function ListGrid({ shown }: { readonly shown: ShownList }) {
  const { entries, address } = shown;
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLTableElement>(null);
  usePaneFocus(grid);
  const isNarrow = useIsNarrow();
  const view = useScrollWindow({
    scroller,
    rowCount: entries.length,
    rowPx: isNarrow ? narrowRowPx : rowPx,
    headPx: isNarrow ? 0 : rowPx,
  });
  const actions = useListActions(shown, view);
  useReading(shown, view);
  const indexes = Array.from(
    { length: Math.max(view.last - view.first + 1, 0) },
    (_, row) => view.first + row,
  );
  const hasOrder = address.sortBy === "order" || indexes.some((index) => hasOrderAt(shown, index));
  const isWithPath = isDeep(address);
  // The same columns as before let rows that have not changed stay as they are.
  const columns = useMemo(
    () => shownColumns({ isNarrow, isDeep: isWithPath, hasOrder }),
    [isNarrow, isWithPath, hasOrder],
  );
  const { active } = actions;
  const isActiveDrawn = active >= view.first && active <= view.last;
  return (
    <>
      <div
        className="list-scroll"
        ref={scroller}
        onScroll={view.onScroll}
        data-narrow={isNarrow || undefined}
        data-deep={isWithPath || undefined}
      >
        <table
          {...gridProps(shown, isActiveDrawn ? rowId(active) : undefined)}
          ref={grid}
          id="uploads-grid"
          className="list-table"
          onKeyDown={actions.onKeyDown}
          onClick={actions.onClick}
          onDoubleClick={actions.onDoubleClick}
        >
          {!isNarrow && <ListHead columns={columns} address={address} />}
          <tbody style={{ blockSize: view.spacePx, paddingBlockStart: view.offsetPx }}>
            {indexes.map((index) => (
              <ListRow
                key={index}
                index={index}
                entry={entries.at(index)}
                columns={columns}
                address={address}
                isActive={index === active}
                isSelected={isSelectedAt(index)}
                isNarrow={isNarrow}
              />
            ))}
          </tbody>
        </table>
      </div>
      <SelectionStatus
        shown={shown}
        isWaiting={indexes.some((index) => entries.at(index) === undefined)}
        selection={actions.selection}
        onClear={actions.clearSelection}
        onFolders={() => view.scrollTo(0)}
      />
    </>
  );

  function isSelectedAt(index: number): boolean {
    const { rows } = actions.selection;
    if (rows.size === 0) return false;
    const row = entries.selectable(index);
    return row !== undefined && rows.has(row.key);
  }
}

function hasOrderAt({ entries }: ShownList, index: number): boolean {
  const entry = entries.at(index);
  return entry !== undefined && "order" in entry && entry.order !== 0;
}

/** Has the rows in view read, and keeps them in place while rows above them are found. */
function useReading(
  { entries, reader }: ShownList,
  view: ReturnType<typeof useScrollWindow>,
): void {
  const { first, last, scrollTo, top, viewRows } = view;
  const folderCount = entries.folders.length;
  useEffect(() => {
    reader.setVisibleRange({ first: first - folderCount, last: last - folderCount });
  }, [reader, first, last, folderCount]);

  const rowCount = entries.length;
  const before = useRef({ reader, rowCount, isFromEnd: false });
  useLayoutEffect(() => {
    const { reader: readerBefore, rowCount: countBefore, isFromEnd } = before.current;
    if (readerBefore !== reader) scrollTo(0);
    else if (isFromEnd) scrollTo(top() + rowCount - countBefore);
    before.current = { reader, rowCount, isFromEnd: false };
  }, [reader, rowCount, scrollTo, top]);
  useLayoutEffect(() => {
    before.current.isFromEnd = entries.isFromEnd(Math.floor(top()) + viewRows - 1);
  });
}
