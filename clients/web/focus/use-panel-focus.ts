import { type RefObject, useEffect } from "react";
import { focusList, focusPanel, isListCovered } from "./focus-list.ts";
import { isTextControl } from "./is-text-control.ts";

/**
 * Moves the focus into a panel that was opened by a key or covers the list. When the panel closes
 * while it has the focus, the focus returns to where it was, or goes to the list if that is gone.
 */
export function usePanelFocus(panel: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const opener = document.activeElement;
    const element = panel.current;
    let hasFocus = false;
    const follow = ({ target }: FocusEvent) => {
      hasFocus = target instanceof Node && element?.contains(target) === true;
    };
    document.addEventListener("focusin", follow);
    const isByKey = opener?.matches(":focus-visible") === true && opener !== document.body;
    if ((isByKey || isListCovered()) && !isTextControl(opener)) focusPanel();
    return () => {
      document.removeEventListener("focusin", follow);
      if (!hasFocus) return;
      if (opener instanceof HTMLElement) opener.focus();
      if (document.activeElement === document.body) focusList();
    };
  }, [panel]);
}
