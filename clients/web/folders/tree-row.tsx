import { formatCount, formatName, formatSize } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import { markedParts } from "./filter-marks.ts";
import type { TreeRow } from "./tree-rows.ts";

/** Deeper rows are not indented further: the names of a deep tree would leave no room. */
const indentedLevelsMax = 12;
const indentPx = 16;

interface Props {
  readonly id: string;
  readonly row: TreeRow;
  readonly name: string;
  readonly filter: string;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly startPx: number;
  readonly onOpen: () => void;
  readonly onToggle: () => void;
}

export function TreeRowView({ id, row, name, filter, isActive, isSelected, ...props }: Props) {
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
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and handles the keys.
    <div
      id={id}
      className={classes.filter(Boolean).join(" ")}
      role="treeitem"
      tabIndex={-1}
      aria-label={totals ? strings.folders.row(shownName, totals.count, totals.size) : shownName}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblingCount}
      aria-expanded={row.isExpandable ? row.isExpanded : undefined}
      aria-selected={isSelected}
      aria-busy={row.isLoading}
      style={{ transform: `translateY(${props.startPx}px)`, paddingInlineStart: indent }}
      onClick={props.onOpen}
      onDoubleClick={() => row.isExpandable && props.onToggle()}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Space and the arrows do the same. */}
      <span
        className="tree-toggle"
        onClick={(event) => {
          if (!row.isExpandable) return;
          event.stopPropagation();
          props.onToggle();
        }}
        onDoubleClick={(event) => event.stopPropagation()}
      >
        {row.isExpandable && <Chevron />}
      </span>
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

function Chevron() {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d="M6 3.5 10.5 8 6 12.5" fill="none" stroke="currentColor" strokeWidth="1.6" />
    </svg>
  );
}

function MarkedName({ name, text }: { readonly name: string; readonly text: string }) {
  return markedParts(name, text).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity.
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
  );
}
