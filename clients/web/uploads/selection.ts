/** Which rows of a list are selected. Rows stay selected while they are not in view. */

/** What a selection keeps of a row. */
export interface SelectableRow {
  /** Different for all rows, folders and uploads. */
  readonly key: string;
  readonly isFolder: boolean;
  readonly sizeBytes: number;
}

export interface Selection {
  readonly rows: ReadonlyMap<string, SelectableRow>;
  /** Where a range begins that Shift extends. */
  readonly anchor: number;
  /** Rows of the range that are selected as soon as they are known. */
  readonly missing: readonly number[];
}

/** Most rows that can be selected at once. They are kept in memory. */
export const selectedMax = 10_000;

export const nothingSelected: Selection = { rows: new Map(), anchor: 0, missing: [] };

/** How a click or key selects: this row alone, this row too, or all from the anchor to this row. */
export type SelectMode = "only" | "toggle" | "extend";

/** `rowAt` returns undefined for rows that are not known yet. */
export function select(
  selection: Selection,
  index: number,
  mode: SelectMode,
  rowAt: (index: number) => SelectableRow | undefined,
): Selection {
  if (mode === "extend") return extend(selection, index, rowAt);
  const row = rowAt(index);
  if (row === undefined) return selection;
  const rows = new Map(mode === "toggle" ? selection.rows : []);
  if (mode === "toggle" && rows.delete(row.key)) return { rows, anchor: index, missing: [] };
  if (rows.size < selectedMax) rows.set(row.key, row);
  return { rows, anchor: index, missing: [] };
}

function extend(
  { anchor }: Selection,
  index: number,
  rowAt: (index: number) => SelectableRow | undefined,
): Selection {
  const step = index < anchor ? -1 : 1;
  const count = Math.min(Math.abs(index - anchor) + 1, selectedMax);
  const missing = Array.from({ length: count }, (_, offset) => anchor + offset * step);
  return selectKnown({ rows: new Map(), anchor, missing }, rowAt);
}

/** Selects the missing rows that are known by now. */
export function selectKnown(
  { rows: before, anchor, missing: missingBefore }: Selection,
  rowAt: (index: number) => SelectableRow | undefined,
): Selection {
  const rows = new Map(before);
  const missing = missingBefore.filter((index) => {
    const row = rowAt(index);
    if (row !== undefined) rows.set(row.key, row);
    return row === undefined;
  });
  return { rows, anchor, missing };
}

interface SelectionSums {
  readonly folders: number;
  readonly uploads: number;
  readonly sizeBytes: number;
}

export function sumsOf({ rows }: Selection): SelectionSums {
  let folders = 0;
  let sizeBytes = 0;
  for (const row of rows.values()) {
    if (row.isFolder) folders += 1;
    sizeBytes += row.sizeBytes;
  }
  return { folders, uploads: rows.size - folders, sizeBytes };
}
