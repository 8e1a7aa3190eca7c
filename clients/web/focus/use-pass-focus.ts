import { type RefObject, useLayoutEffect } from "react";
import { focusAround } from "./focus-list.ts";

/** The focus must not go with an element that goes away, back to the start of the page. */
export function usePassFocus(part: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = part.current;
    return () => {
      if (element?.contains(document.activeElement)) focusAround(element);
    };
  }, [part]);
}
