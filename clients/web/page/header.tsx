import "./header.css";
import { AddressLink } from "../address/address-link.tsx";
import { useAddress } from "../address/use-address.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { BucketSwitcher } from "../buckets/bucket-switcher.tsx";
import type { Session } from "../session/session.ts";
import { strings } from "../text/strings.ts";
import { SearchField } from "../uploads/search-field.tsx";
import { useIsNarrow } from "../uploads/use-is-narrow.ts";
import { AccountMenu } from "./account-menu.tsx";

interface Props {
  readonly session: Session;
  readonly buckets: readonly Bucket[];
  readonly bucket: Bucket | undefined;
  /** Undefined if the folders are in sight, or not known yet. */
  readonly onShowFolders: (() => void) | undefined;
  readonly onShowKeys: () => void;
}

export function Header({ session, buckets, bucket, onShowFolders, onShowKeys }: Props) {
  return (
    <header className="header">
      {onShowFolders !== undefined && (
        <button
          type="button"
          className="header-icon"
          aria-label={strings.page.showFolders}
          onClick={onShowFolders}
        >
          <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
            <path d="M2 4h12M2 8h12M2 12h12" fill="none" stroke="currentColor" strokeWidth="1.6" />
          </svg>
        </button>
      )}
      <div className="header-bucket">
        <BucketSwitcher buckets={buckets} bucket={bucket} />
      </div>
      <div className="header-search">
        <SearchField />
      </div>
      <ViewSwitch />
      <AccountMenu session={session} onShowKeys={onShowKeys} />
    </header>
  );
}

const views = [
  { view: "list", name: strings.page.list },
  { view: "space", name: strings.space.label },
] as const;

function ViewSwitch() {
  const { address } = useAddress();
  // The panel would cover the view.
  const closing = useIsNarrow() ? { upload: "" } : {};
  return (
    <nav className="view-switch" aria-label={strings.page.view}>
      {views.map(({ view, name }) => (
        <AddressLink
          key={view}
          change={{ view, ...closing }}
          aria-current={view === address.view ? "page" : undefined}
        >
          {name}
        </AddressLink>
      ))}
    </nav>
  );
}
