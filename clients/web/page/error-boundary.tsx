import { Component, type ReactNode } from "react";
import { strings } from "../text/strings.ts";

interface Props {
  readonly children: ReactNode;
  /** What the part shows. Another subject may work, so the part is shown again. */
  readonly subject?: string;
}

interface State {
  readonly isBroken: boolean;
  readonly subject: string | undefined;
}

/**
 * Keeps a fault in one part of the page from taking the others down. A part that is loaded when it
 * is needed fails like this after a new release too, whose files have other names.
 */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { isBroken: false, subject: undefined };

  static getDerivedStateFromProps({ subject }: Props, state: State): State | null {
    return subject === state.subject ? null : { isBroken: false, subject };
  }

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    return (
      <div className="page-message" role="alert">
        <p>{strings.page.crashed}</p>
        <button type="button" onClick={() => window.location.reload()}>
          {strings.page.reload}
        </button>
      </div>
    );
  }
}
