import { type RefObject, useEffect, useRef } from "react";
import { focusList, focusPanel, isListCovered } from "./focus-list.ts";
import { isTextControl } from "./is-text-control.ts";

/**
 * Moves the focus into a panel that was opened by a key, or covers what has the focus: `covered`
 * changes when it covers more or less. When the panel closes while it has the focus, the focus
 * returns to where it was, or goes to the list if that is gone.
 */
export function usePanelFocus(panel: RefObject<HTMLElement | null>, covered: string): void {
  const last = useRef<Element>(null);
  useEffect(() => {
    const opener = document.activeElement;
    last.current = opener;
    const element = panel.current;
    let hasFocus = false;
    const follow = ({ target }: FocusEvent) => {
      last.current = target instanceof Element ? target : null;
      hasFocus = element?.contains(last.current) === true;
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
  useEffect(() => {
    void covered;
    // A browser may have taken the focus from it already.
    if (isHidden(last.current)) focusPanel();
  }, [covered]);
}

function isHidden(element: Element | null): boolean {
  if (element === null) return false;
  const isShown = element.checkVisibility({ visibilityProperty: true });
  return !isShown || element.closest("[inert]") !== null;
}
