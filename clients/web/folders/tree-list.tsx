/** The rows of the tree that are in sight. The tree has the focus and names the active row. */
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Bucket } from "../buckets/bucket.ts";
import { strings } from "../text/strings.ts";
import { ancestorsOf } from "./folder-path.ts";
import { treeActionOf } from "./tree-keys.ts";
import { TreeRowView } from "./tree-row.tsx";
import type { TreeRow } from "./tree-rows.ts";
import { createTypeahead } from "./typeahead.ts";
import { useLevelsInSight } from "./use-levels-in-sight.ts";

const rowHeightPx = 30;
/** Rows beyond the edges that are rendered too, so that quick scrolling shows no gaps. */
const overscanRows = 12;
/** While the drawer with the tree is closed. */
const nothing = { startIndex: 0, endIndex: -1 };

interface Props {
  readonly bucket: Bucket;
  readonly rows: readonly TreeRow[];
  /** The folder that is shown beside the tree. */
  readonly folder: string;
  readonly filter: string;
  readonly isLoading: boolean;
  readonly onToggle: (path: string, isOpen: boolean) => void;
  readonly onOpen: (path: string) => void;
}

export function TreeList({ bucket, rows, folder, onToggle, onOpen, ...props }: Props) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(folder);
  const activeIndex = useMemo(() => indexOf(rows, active), [rows, active]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeightPx,
    overscan: overscanRows,
    useFlushSync: false,
    // The active row is always there, because the tree refers to it.
    rangeExtractor: (range) =>
      Array.from(new Set([...defaultRangeExtractor(range), activeIndex])).sort((a, b) => a - b),
  });
  const { startIndex, endIndex } = virtualizer.calculateRange() ?? nothing;
  // A filtered tree is read by few calls.
  const inSight = props.filter === "" ? rows.slice(startIndex, endIndex + 1) : [];
  useLevelsInSight(bucket.bucketId, inSight);
  const focusRow = (path: string) => {
    setActive(path);
    virtualizer.scrollToIndex(indexOf(rows, path));
  };
  useReveal(folder, rows, focusRow);
  const onKeyDown = useTreeKeys({ rows, activeIndex, onFocus: focusRow, onToggle, onOpen });
  const onClick = ({ target, detail }: MouseEvent) => {
    const row = rowAt(target, rows);
    if (row === undefined) return;
    setActive(row.path);
    const isToggle = detail === 2 || isIn(target, ".tree-toggle");
    if (isToggle && row.isExpandable) onToggle(row.path, !row.isExpanded);
    else if (detail < 2) onOpen(row.path);
  };
  return (
    <div
      ref={scroller}
      className="tree"
      role="tree"
      tabIndex={0}
      aria-label={strings.folders.label}
      aria-busy={props.isLoading}
      aria-activedescendant={`${id}${activeIndex}`}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <div role="none" className="tree-rows" style={{ blockSize: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <TreeRowView
              key={row.path}
              id={`${id}${index}`}
              index={index}
              row={row}
              name={row.path === "/" ? bucket.hostname : row.name}
              filter={props.filter}
              isActive={index === activeIndex}
              isSelected={row.path === folder}
              startPx={start}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The index of the folder, or of the nearest one above it that is shown. */
function indexOf(rows: readonly TreeRow[], path: string): number {
  const index = rows.findIndex((row) => row.path === path);
  if (index !== -1) return index;
  const ancestors = new Set(ancestorsOf(path));
  return Math.max(
    0,
    rows.findLastIndex((row) => ancestors.has(row.path)),
  );
}

function rowAt(target: EventTarget, rows: readonly TreeRow[]): TreeRow | undefined {
  const element = target instanceof Element ? target.closest("[data-index]") : null;
  return element === null ? undefined : rows[Number(element.getAttribute("data-index"))];
}

function isIn(target: EventTarget, selector: string): boolean {
  return target instanceof Element && target.closest(selector) !== null;
}

/** Makes the folder active and scrolls to it, as soon as its row is there. Once for each folder. */
function useReveal(folder: string, rows: readonly TreeRow[], focusRow: (path: string) => void) {
  const revealed = useRef("");
  useEffect(() => {
    if (revealed.current === folder || !rows.some(({ path }) => path === folder)) return;
    revealed.current = folder;
    focusRow(folder);
  });
}

interface TreeKeys extends Pick<Props, "rows" | "onToggle" | "onOpen"> {
  readonly activeIndex: number;
  readonly onFocus: (path: string) => void;
}

const mirrored: ReadonlyMap<string, string> = new Map([
  ["ArrowLeft", "ArrowRight"],
  ["ArrowRight", "ArrowLeft"],
]);

/** From right to left, deeper levels are on the left. */
function readingKeyOf({ key, currentTarget }: KeyboardEvent): string {
  return currentTarget.matches(":dir(rtl)") ? (mirrored.get(key) ?? key) : key;
}

function useTreeKeys({ rows, activeIndex, onFocus, onToggle, onOpen }: TreeKeys) {
  const typeahead = useMemo(() => createTypeahead(Date.now), []);
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = treeActionOf(readingKeyOf(event), rows, activeIndex);
    if (action !== undefined) {
      event.preventDefault();
      if (action.kind === "focus") onFocus(action.path);
      else if (action.kind === "open") onOpen(action.path);
      else onToggle(action.path, action.kind === "expand");
      return;
    }
    // `/` and `?` belong to the page. Other keys have names: "Shift", "F5".
    const isLetter = Array.from(event.key).length === 1 && !"/? ".includes(event.key);
    if (!isLetter) return;
    event.preventDefault();
    const path = typeahead(event.key, rows, activeIndex);
    if (path !== undefined) onFocus(path);
  };
}
