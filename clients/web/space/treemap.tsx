/** A treemap. Cells of folders lead into them, arrow keys move between cells. */
import {
  type CSSProperties,
  type KeyboardEvent,
  type RefObject,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { AddressLink } from "../address/address-link.tsx";
import { usePaneFocus } from "../focus/use-pane-focus.ts";
import type { FolderLevel } from "../folders/folder-level.ts";
import { openingPart, type PartTexts, textsOf } from "./part-texts.ts";
import { keyOf, partsOf, type SpacePart } from "./space-parts.ts";
import { type Cell, type Direction, layOut, neighbourOf, type Size } from "./treemap-layout.ts";

/** More cells are too small to tell apart. */
const cellsMax = 100;
/** In square pixels: below that, a cell can neither be hit nor seen. */
const cellAreaMin = 900;

/** In pixels: a rest may be much smaller than any folder. The table has it. */
const cellSideMin = 3;

interface Props {
  readonly level: FolderLevel;
  /** The folder that was shown before this one. */
  readonly lastFolder: string;
  readonly onShowAll: () => void;
}

export function Treemap({ level, lastFolder, onShowAll }: Props) {
  const map = useRef<HTMLDivElement>(null);
  const size = useSize(map);
  const cells = useMemo(() => (size === undefined ? [] : cellsOf(level, size)), [level, size]);
  const [activeKey, setActiveKey] = useState("");
  const active = Math.max(0, activeIndexOf(cells, activeKey, lastFolder));
  usePaneFocus(map, cells.length > 0);
  const focus = (index: number | undefined) => {
    const cell = index === undefined ? undefined : map.current?.children[index];
    if (cell instanceof HTMLElement) cell.focus();
  };
  const move = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const isRightToLeft = event.currentTarget.matches(":dir(rtl)");
    const direction = directionOf(event.key, isRightToLeft);
    if (direction !== undefined) focus(neighbourOf(cells, active, direction));
    else if (event.key === "Home") focus(0);
    else if (event.key === "End") focus(cells.length - 1);
    else return;
    event.preventDefault();
  };
  return (
    <div ref={map} className="space-map">
      {cells.map((cell, index) => (
        <MapCell
          key={keyOf(cell.part)}
          cell={cell}
          totalBytes={level.totals.sizeBytes}
          tabIndex={index === active ? 0 : -1}
          onFocus={() => setActiveKey(keyOf(cell.part))}
          onKeyDown={move}
          onShowAll={onShowAll}
        />
      ))}
    </div>
  );
}

/** The size of an element, as it changes. Undefined until the element is there. */
function useSize(element: RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const measure = () => setSize({ width: current.clientWidth, height: current.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

function cellsOf(level: FolderLevel, size: Size): readonly Cell[] {
  const shareMin = cellAreaMin / (size.width * size.height);
  const cells = layOut(partsOf(level, { partsMax: cellsMax, shareMin }), size);
  return cells.filter(({ width, height }) => Math.min(width, height) >= cellSideMin);
}

/** At first, the folder that the reader comes from if it is inside this one. */
function activeIndexOf(cells: readonly Cell[], key: string, lastFolder: string): number {
  return cells.findIndex(({ part }) =>
    key === "" && part.kind === "folder"
      ? `${lastFolder}/`.startsWith(`${part.path}/`)
      : keyOf(part) === key,
  );
}

const directions: Readonly<Record<string, readonly [Direction, rightToLeft: Direction]>> = {
  ArrowUp: ["up", "up"],
  ArrowDown: ["down", "down"],
  ArrowLeft: ["left", "right"],
  ArrowRight: ["right", "left"],
};

function directionOf(key: string, isRightToLeft: boolean): Direction | undefined {
  return Object.hasOwn(directions, key) ? directions[key]?.[isRightToLeft ? 1 : 0] : undefined;
}

interface CellProps {
  readonly cell: Cell;
  readonly totalBytes: number;
  readonly tabIndex: number;
  readonly onFocus: () => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  readonly onShowAll: () => void;
}

function MapCell({ cell, totalBytes, onShowAll, ...handlers }: CellProps) {
  const { part, x, y, width, height } = cell;
  const texts = textsOf(part, totalBytes);
  const change = openingPart(part);
  const attributes = {
    ...handlers,
    className: `space-cell is-${part.kind}`,
    style: {
      insetInlineStart: x,
      insetBlockStart: y,
      inlineSize: width,
      blockSize: height,
      "--share": `${(shareOf(part, totalBytes) * 100).toFixed(1)}%`,
    } as CSSProperties,
    title: [texts.name, texts.size, texts.share, texts.uploads].join(", "),
    children: <CellText height={height} texts={texts} />,
  };
  if (change === undefined) return <button type="button" {...attributes} onClick={onShowAll} />;
  return <AddressLink {...attributes} change={change} />;
}

function shareOf({ totals }: SpacePart, totalBytes: number): number {
  return totals.sizeBytes / totalBytes;
}

/** In pixels: a lower cell has no space for one line, or for two. */
const oneLineMin = 22;
const twoLinesMin = 44;

interface TextProps {
  readonly height: number;
  readonly texts: PartTexts;
}

/** Shows the lines that fit. All of them are the name of the cell. */
function CellText({ height, texts }: TextProps) {
  return (
    <>
      <bdi className={height >= oneLineMin ? "space-name" : "unseen"}>
        <span>{texts.name}</span>
      </bdi>{" "}
      <bdi className={height >= twoLinesMin ? "space-details" : "unseen"}>
        <span>
          {texts.size} · {texts.share}
        </span>
      </bdi>{" "}
      <span className="unseen">{texts.uploads}</span>
    </>
  );
}
