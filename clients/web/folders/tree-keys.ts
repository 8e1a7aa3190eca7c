/**
 * What keys do in the tree, by the pattern for trees of the WAI-ARIA Authoring Practices. Letters
 * are in `typeahead.ts`.
 */
import { parentOf } from "./folder-path.ts";
import type { TreeRow } from "./tree-rows.ts";

type TreeAction =
  | { readonly kind: "focus"; readonly path: string }
  | { readonly kind: "expand" | "collapse" | "open"; readonly path: string };

/** So far do Page Up and Page Down go. */
const pageRows = 10;

const keys: Readonly<
  Record<string, (rows: readonly TreeRow[], index: number) => TreeAction | undefined>
> = {
  ArrowDown: (rows, index) => focus(rows, index + 1),
  ArrowUp: (rows, index) => focus(rows, index - 1),
  PageDown: (rows, index) => focus(rows, index + pageRows),
  PageUp: (rows, index) => focus(rows, index - pageRows),
  Home: (rows) => focus(rows, 0),
  End: (rows) => focus(rows, rows.length - 1),
  ArrowRight: (rows, index) => {
    const row = rows[index];
    if (row === undefined || !row.isExpandable) return undefined;
    if (!row.isExpanded) return { kind: "expand", path: row.path };
    return row.isLoading ? undefined : focus(rows, index + 1);
  },
  ArrowLeft: (rows, index) => {
    const row = rows[index];
    if (row === undefined) return undefined;
    if (row.isExpanded) return { kind: "collapse", path: row.path };
    return { kind: "focus", path: parentOf(row.path) };
  },
  " ": (rows, index) => {
    const row = rows[index];
    if (row === undefined || !row.isExpandable) return undefined;
    return { kind: row.isExpanded ? "collapse" : "expand", path: row.path };
  },
  Enter: (rows, index) => {
    const row = rows[index];
    return row === undefined ? undefined : { kind: "open", path: row.path };
  },
};

/** Undefined: the key does nothing here. */
export function treeActionOf(
  key: string,
  rows: readonly TreeRow[],
  index: number,
): TreeAction | undefined {
  return Object.hasOwn(keys, key) ? keys[key]?.(rows, index) : undefined;
}

function focus(rows: readonly TreeRow[], index: number): TreeAction | undefined {
  const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
  return row === undefined ? undefined : { kind: "focus", path: row.path };
}
