import { type RefObject, useLayoutEffect } from "react";

/** What Tab reaches in a grid, a map or a table. */
const tabStop = ":is(a, button):not([tabindex='-1'])";

/**
 * Keeps the focus in the main pane while a part of it comes and goes with its folder: the pane
 * itself has it meanwhile. Then the next part, or the first control in it, gets the focus.
 */
export function usePaneFocus(part: RefObject<HTMLElement | null>, isReady = true): void {
  useLayoutEffect(() => {
    const element = part.current;
    const pane = document.getElementById("uploads");
    if (!isReady || element === null || pane === null) return;
    const target = element.tabIndex === 0 ? element : element.querySelector<HTMLElement>(tabStop);
    if (document.activeElement === pane) target?.focus({ preventScroll: true });
    return () => {
      if (element.contains(document.activeElement)) pane.focus({ preventScroll: true });
    };
  }, [part, isReady]);
}
