import { type RefObject, useEffect } from "react";
import { focusList, isListCovered } from "./focus-list.ts";

/**
 * Moves the focus into a panel that was opened by a key or covers the list. When the panel closes
 * while it has the focus, the focus returns to where it was, or goes to the list if that is gone.
 */
export function useReturnFocus(
  panel: RefObject<HTMLElement | null>,
  first: RefObject<HTMLElement | null>,
): void {
  useEffect(() => {
    const opener = document.activeElement;
    const isByKey = opener?.matches(":focus-visible") === true && opener !== document.body;
    let hasFocus = isByKey || isListCovered();
    if (hasFocus) first.current?.focus();
    const element = panel.current;
    const follow = ({ target }: FocusEvent) => {
      hasFocus = target instanceof Node && element?.contains(target) === true;
    };
    document.addEventListener("focusin", follow);
    return () => {
      document.removeEventListener("focusin", follow);
      if (!hasFocus) return;
      if (opener instanceof HTMLElement) opener.focus();
      if (document.activeElement === document.body) focusList();
    };
  }, [panel, first]);
}
