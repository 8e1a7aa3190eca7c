import { useLayoutEffect, useRef } from "react";
import { strings } from "../text/strings.ts";
import { focusList } from "./focus-list.ts";

interface Props {
  readonly onRetry: () => void;
  /** Moves the focus when the button goes away while it has the focus; default: to the list. */
  readonly passFocus?: () => void;
  readonly className?: string;
}

/** Goes away when it is used. The focus must not go with it, back to the start of the page. */
export function RetryButton({ onRetry, passFocus = focusList, className }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const element = button.current;
    return () => {
      if (element === document.activeElement) passFocus();
    };
  }, [passFocus]);
  return (
    <button ref={button} type="button" className={className} onClick={onRetry}>
      {strings.page.retry}
    </button>
  );
}
