import { memo } from "react";
import { formatCount, formatName, formatSize } from "../text/format.ts";
import { MarkedParts } from "../text/marked-parts.tsx";
import { nameParts } from "../text/name-parts.ts";
import { strings } from "../text/strings.ts";
import type { TreeRow } from "./tree-rows.ts";

/** Deeper rows are not indented further: the names of a deep tree would leave no room. */
const indentedLevelsMax = 9;
const indentPx = 14;

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

/**
 * The tree has the focus, and handles keys and clicks: rows come and go while people scroll. Rows
 * that stay are not rendered again.
 */
export const TreeRowView = memo(function TreeRowView(props: Props) {
  const { id, index, row, name, filter } = props;
  const { isActive, isSelected, startPx } = props;
  const shownName = formatName(name);
  const indent = (Math.min(row.level, indentedLevelsMax) - 1) * indentPx;
  const totals = row.totals && {
    count: formatCount(row.totals.uploadCount),
    unit: strings.folders.rowUploads(row.totals.uploadCount === 1),
    size: formatSize(row.totals.sizeBytes),
  };
  const classes = [
    "tree-row",
    isActive && "is-active",
    filter !== "" && (row.isMatch ? "is-match" : "is-on-the-way"),
  ];
  return (
    <div
      {...treeItemOf(row, isSelected)}
      id={id}
      className={classes.filter(Boolean).join(" ")}
      data-index={index}
      style={{ transform: `translateY(${startPx}px)`, paddingInlineStart: indent }}
    >
      <span className="tree-toggle">{row.isExpandable && <Chevron />}</span>
      <bdi className="tree-name" title={shownName}>
        <MarkedParts parts={nameParts(name, row.isMatch ? filter : "")} />
      </bdi>
      {totals && (
        <span className="tree-totals">
          <span className="unseen">, </span>
          {totals.count}
          <span className="unseen"> {totals.unit}, </span>
          <span aria-hidden="true"> · </span>
          {totals.size}
        </span>
      )}
    </div>
  );
});

function treeItemOf(row: TreeRow, isSelected: boolean) {
  return {
    role: "treeitem",
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
