import { type ReactNode, useRef } from "react";
import { RetryButton } from "../focus/retry-button.tsx";
import { usePassFocus } from "../focus/use-pass-focus.ts";

interface Props {
  readonly text: string;
  /** Undefined if trying again cannot help. */
  readonly onRetry?: () => void;
  /** Ways on. */
  readonly children?: ReactNode;
}

/** What is shown in place of something that cannot be shown. */
export function Failure({ text, onRetry, children }: Props) {
  const message = useRef<HTMLDivElement>(null);
  usePassFocus(message);
  return (
    <div ref={message} className="page-message" role="alert">
      <p>{text}</p>
      {onRetry !== undefined && <RetryButton onRetry={onRetry} />}
      {children}
    </div>
  );
}
