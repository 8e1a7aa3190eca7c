import { formatCount, formatName, formatSize } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import { markedParts } from "./filter-marks.ts";
import type { TreeRow } from "./tree-rows.ts";

/** Deeper rows are not indented further: the names of a deep tree would leave no room. */
const indentedLevelsMax = 12;
const indentPx = 16;

interface Props {
  readonly id: string;
  readonly index: number;
  readonly row: TreeRow;
  readonly name: string;
  readonly filter: string;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly startPx: number;
}

/** The tree has the focus, and handles keys and clicks: rows come and go while one scrolls. */
export function TreeRowView({ id, index, row, name, filter, ...props }: Props) {
  const { isActive, isSelected, startPx } = props;
  const shownName = formatName(name);
  const indent = (Math.min(row.level, indentedLevelsMax) - 1) * indentPx;
  const totals = row.totals && {
    count: formatCount(row.totals.uploadCount),
    size: formatSize(row.totals.sizeBytes),
  };
  const classes = [
    "tree-row",
    isActive && "is-active",
    filter !== "" && (row.isMatch ? "is-match" : "is-on-the-way"),
  ];
  const label = totals ? strings.folders.row(shownName, totals.count, totals.size) : shownName;
  return (
    <div
      {...treeItemOf(row, label, isSelected)}
      id={id}
      className={classes.filter(Boolean).join(" ")}
      data-index={index}
      style={{ transform: `translateY(${startPx}px)`, paddingInlineStart: indent }}
    >
      <span className="tree-toggle">{row.isExpandable && <Chevron />}</span>
      <bdi className="tree-name" title={shownName}>
        <MarkedName name={shownName} text={row.isMatch ? filter : ""} />
      </bdi>
      {totals && (
        <span className="tree-totals">
          {totals.count} · {totals.size}
        </span>
      )}
    </div>
  );
}

function treeItemOf(row: TreeRow, label: string, isSelected: boolean) {
  return {
    role: "treeitem",
    "aria-label": label,
    "aria-level": row.level,
    "aria-posinset": row.position,
    "aria-setsize": row.siblingCount,
    "aria-expanded": row.isExpandable ? row.isExpanded : undefined,
    "aria-selected": isSelected,
    "aria-busy": row.isLoading,
  };
}

function Chevron() {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d="M6 3.5 10.5 8 6 12.5" fill="none" stroke="currentColor" strokeWidth="1.6" />
    </svg>
  );
}

function MarkedName({ name, text }: { readonly name: string; readonly text: string }) {
  return markedParts(name, text).map((part, index, parts) =>
    index % 2 === 1 ? <mark key={parts.slice(0, index).join("").length}>{part}</mark> : part,
  );
}
