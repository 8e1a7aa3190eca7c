import type { ReactNode } from "react";
import { RetryButton } from "../focus/retry-button.tsx";

interface Props {
  readonly text: string;
  /** Undefined if trying again cannot help. */
  readonly onRetry?: () => void;
  /** Ways on. */
  readonly children?: ReactNode;
}

/** What is shown in place of something that cannot be shown. */
export function Failure({ text, onRetry, children }: Props) {
  return (
    <div className="page-message" role="alert">
      <p>{text}</p>
      {onRetry !== undefined && <RetryButton onRetry={onRetry} />}
      {children}
    </div>
  );
}
