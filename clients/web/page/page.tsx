/** Folders on the left, uploads or the chart of space beside them, one upload in a panel. */
import "./page.css";
import { useEffect } from "react";
import { useAddress } from "../address/use-address.ts";
import { useBuckets } from "../buckets/use-buckets.ts";
import { FolderTree } from "../folders/folder-tree.tsx";
import { signInHref, signOut, useSession } from "../session/session.ts";
import { SpaceChart } from "../space/space-chart.tsx";
import { strings } from "../text/strings.ts";
import { UploadPanel } from "../upload/upload-panel.tsx";
import { UploadList } from "../uploads/upload-list.tsx";

export function Page() {
  const session = useSession();
  const isSignedOut = session.data === null;
  useEffect(() => {
    if (isSignedOut) window.location.assign(signInHref());
  }, [isSignedOut]);
  if (session.data === undefined || session.data === null) {
    return <p className="page-message">{strings.page.loading}</p>;
  }
  return <SignedInPage />;
}

function SignedInPage() {
  const { address } = useAddress();
  const buckets = useBuckets();
  const bucket =
    address.bucket === ""
      ? buckets.data?.[0]
      : buckets.data?.find(({ hostname }) => hostname === address.bucket);
  if (bucket === undefined) return <p className="page-message">{strings.page.loading}</p>;
  return (
    <div className="page">
      <nav className="page-folders" aria-label={strings.folders.label}>
        <button type="button" onClick={() => void signOut()}>
          {strings.page.signOut}
        </button>
        <FolderTree bucket={bucket} />
      </nav>
      <main className="page-main">
        {address.view === "space" ? <SpaceChart bucket={bucket} /> : <UploadList bucket={bucket} />}
      </main>
      {address.upload !== "" && (
        <aside className="page-panel" aria-label={strings.upload.label}>
          <UploadPanel bucket={bucket} uploadId={address.upload} />
        </aside>
      )}
    </div>
  );
}
