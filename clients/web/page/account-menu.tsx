import { useRef, useState } from "react";
import { type Session, signOut } from "../session/session.ts";
import { strings } from "../text/strings.ts";

interface Props {
  readonly session: Session;
  readonly onShowKeys: () => void;
}

export function AccountMenu({ session, onShowKeys }: Props) {
  const popover = useRef<HTMLDivElement>(null);
  const [isFailed, setIsFailed] = useState(false);
  const leave = () => {
    setIsFailed(false);
    signOut().catch(() => setIsFailed(true));
  };
  return (
    <>
      <button
        type="button"
        className="header-icon"
        popoverTarget="account-menu"
        aria-label={`${strings.page.account}: ${session.name}`}
      >
        <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
          <circle cx="8" cy="5.2" r="2.8" fill="currentColor" />
          <path d="M2.5 14a5.5 5.5 0 0 1 11 0z" fill="currentColor" />
        </svg>
      </button>
      <div ref={popover} id="account-menu" className="account-menu" popover="auto">
        <p>
          <bdi>{strings.page.signedInAs(session.name)}</bdi>
        </p>
        <button
          type="button"
          onClick={() => {
            popover.current?.hidePopover();
            onShowKeys();
          }}
        >
          {strings.keys.title}
        </button>
        <button type="button" onClick={leave}>
          {strings.page.signOut}
        </button>
        {isFailed && <p role="alert">{strings.page.signOutFailed}</p>}
      </div>
    </>
  );
}
