/**
 * What keys do in the list, by the pattern for lists with multiple selection of the WAI-ARIA
 * Authoring Practices.
 */

type ListAction =
  | { readonly kind: "move"; readonly to: number; readonly isExtending: boolean }
  | { readonly kind: "open" | "toggle" | "clear" };

export interface ListKeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

interface ListPlace {
  readonly active: number;
  readonly rowCount: number;
  /** How many rows are in view. */
  readonly viewRows: number;
  readonly hasSelection: boolean;
}

const moves: Readonly<Record<string, (place: ListPlace) => number>> = {
  ArrowDown: ({ active }) => active + 1,
  ArrowUp: ({ active }) => active - 1,
  PageDown: ({ active, viewRows }) => active + Math.max(viewRows - 1, 1),
  PageUp: ({ active, viewRows }) => active - Math.max(viewRows - 1, 1),
  Home: () => 0,
  End: ({ rowCount }) => rowCount - 1,
};

/** Undefined: the list does nothing, and the page may use the key. */
export function listActionOf(press: ListKeyPress, place: ListPlace): ListAction | undefined {
  const { key, shiftKey } = press;
  if (press.altKey || place.rowCount === 0) return undefined;
  const move = Object.hasOwn(moves, key) ? moves[key] : undefined;
  if (move !== undefined) {
    const to = Math.min(Math.max(move(place), 0), place.rowCount - 1);
    return { kind: "move", to, isExtending: shiftKey };
  }
  if (key === " ") return { kind: "toggle" };
  if (press.ctrlKey || press.metaKey || shiftKey) return undefined;
  if (key === "Enter") return { kind: "open" };
  return key === "Escape" && place.hasSelection ? { kind: "clear" } : undefined;
}
