/** Where the focus goes when the panel, or a control in it, comes and goes. */
import { type RefObject, useEffect } from "react";

/**
 * Moves the focus into the panel if it was opened by a key. When the panel closes while it has the
 * focus, the focus returns to where it was.
 */
export function useHeldFocus(
  panel: RefObject<HTMLElement | null>,
  first: RefObject<HTMLElement | null>,
): void {
  useEffect(() => {
    const opener = document.activeElement;
    const isByKey = opener?.matches(":focus-visible") === true && opener !== document.body;
    if (isByKey) first.current?.focus();
    const element = panel.current;
    let hasFocus = isByKey;
    const follow = ({ target }: FocusEvent) => {
      hasFocus = target instanceof Node && element?.contains(target) === true;
    };
    document.addEventListener("focusin", follow);
    return () => {
      document.removeEventListener("focusin", follow);
      if (hasFocus && opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, [panel, first]);
}

/** For controls of the panel that go away when they are used. */
export function focusHeading(): void {
  document.getElementById("upload-heading")?.focus({ preventScroll: true });
}
