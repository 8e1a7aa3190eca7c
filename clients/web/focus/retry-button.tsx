import { useRef } from "react";
import { strings } from "../text/strings.ts";
import { usePassFocus } from "./use-pass-focus.ts";

interface Props {
  readonly onRetry: () => void;
  readonly className?: string;
}

/** Goes away when it is used. */
export function RetryButton({ onRetry, className }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  usePassFocus(button);
  return (
    <button ref={button} type="button" className={className} onClick={onRetry}>
      {strings.page.retry}
    </button>
  );
}
