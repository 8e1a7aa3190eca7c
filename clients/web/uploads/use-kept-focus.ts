import { type RefObject, useLayoutEffect } from "react";

/**
 * Keeps the focus in the list while its grid comes and goes, as folders without entries have none:
 * the pane around it has the focus meanwhile. Else the keys would do nothing afterwards.
 */
export function useKeptFocus(grid: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = grid.current;
    const pane = document.getElementById("uploads");
    if (element === null || pane === null) return;
    if (document.activeElement === pane) element.focus({ preventScroll: true });
    return () => {
      if (element.contains(document.activeElement)) pane.focus({ preventScroll: true });
    };
  }, [grid]);
}
