/** The way to a folder, as links above the list. */
import { ancestorsOf } from "./folder-path.ts";

/** A longer way is shown with its middle left out. */
const crumbsMax = 5;
const lastCrumbs = 3;

interface Crumbs {
  /** The paths from the root to the folder itself. */
  readonly first: readonly string[];
  /** Left out until the reader asks for them. */
  readonly hidden: readonly string[];
  readonly last: readonly string[];
}

export function crumbsOf(folder: string): Crumbs {
  const all = folder === "/" ? ["/"] : [...ancestorsOf(folder), folder];
  if (all.length <= crumbsMax) return { first: all, hidden: [], last: [] };
  return { first: ["/"], hidden: all.slice(1, -lastCrumbs), last: all.slice(-lastCrumbs) };
}
