/** Folders on the left, uploads or the chart of space beside them, one upload in a panel. */
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useCallback, useRef, useState } from "react";
import { openingOf } from "../address/address.ts";
import { AddressLink } from "../address/address-link.tsx";
import { useAddress } from "../address/use-address.ts";
import { messageOf, reasonOf } from "../api/call-error.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { usePassFocus } from "../focus/use-pass-focus.ts";
import { folderLevelQuery } from "../folders/folder-level-query.ts";
import { nameOf, parentOf } from "../folders/folder-path.ts";
import { FolderTree } from "../folders/folder-tree.tsx";
import { formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import type { Neighbours } from "../uploads/list-entries.ts";
import { UploadList } from "../uploads/upload-list.tsx";
import { Breadcrumb } from "./breadcrumb.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { Failure } from "./failure.tsx";
import { LoadedPart } from "./loaded-part.tsx";
import { PaneDivider } from "./pane-divider.tsx";
import { PanelPane } from "./panel-pane.tsx";
import { useFoldersWidth } from "./use-folders-width.ts";

interface Props {
  readonly bucket: Bucket;
  readonly drawer: RefObject<HTMLDialogElement | null>;
  readonly isNarrow: boolean;
}

export function BucketView({ bucket, drawer, isNarrow }: Props) {
  const { address } = useAddress();
  // The list knows what is next to the upload in the panel.
  const [neighbours, setNeighbours] = useState<Neighbours>({});
  const isPanelOpen = address.upload !== "";
  return (
    <div className="page-bucket">
      {isNarrow ? (
        <FoldersDrawer bucket={bucket} drawer={drawer} />
      ) : (
        <FoldersPane bucket={bucket} isPanelOpen={isPanelOpen} />
      )}
      <main id="uploads" className="page-main" tabIndex={-1} inert={isPanelOpen && isNarrow}>
        <h1 className="unseen">
          <bdi>{formatName(nameOf(address.folder)) || bucket.hostname}</bdi>
        </h1>
        <Breadcrumb bucket={bucket} />
        <ErrorBoundary key={`${bucket.bucketId} ${address.view}`}>
          <FolderContent bucket={bucket} onNeighbours={setNeighbours} />
        </ErrorBoundary>
      </main>
      {isPanelOpen && <PanelPane bucket={bucket} neighbours={neighbours} />}
    </div>
  );
}

interface FoldersPaneProps {
  readonly bucket: Bucket;
  readonly isPanelOpen: boolean;
}

function FoldersPane({ bucket, isPanelOpen }: FoldersPaneProps) {
  const { folder, folderFilter } = useAddress().address;
  const width = useFoldersWidth(isPanelOpen);
  const pane = useRef<HTMLElement>(null);
  usePassFocus(pane);
  return (
    <nav
      ref={pane}
      id="folders"
      className="page-folders"
      aria-label={strings.folders.label}
      style={{ inlineSize: width.widthPx }}
    >
      <FolderTree bucket={bucket} folder={folder} folderFilter={folderFilter} />
      <PaneDivider paneId="folders" {...width} />
    </nav>
  );
}

function FoldersDrawer({ bucket, drawer }: Pick<Props, "bucket" | "drawer">) {
  const { folder, folderFilter } = useAddress().address;
  // The tree is drawn again if it changes.
  const close = useCallback(() => drawer.current?.close(), [drawer]);
  return (
    <dialog ref={drawer} className="page-drawer" aria-label={strings.folders.label} closedby="any">
      <nav className="page-drawer-content" aria-label={strings.folders.label}>
        <button type="button" onClick={close}>
          {strings.page.closeFolders}
        </button>
        <FolderTree bucket={bucket} folder={folder} folderFilter={folderFilter} onOpen={close} />
      </nav>
    </dialog>
  );
}

interface FolderContentProps {
  readonly bucket: Bucket;
  readonly onNeighbours: (neighbours: Neighbours) => void;
}

/** Asks whether the folder exists: a list of a folder that does not is just empty. */
function FolderContent({ bucket, onNeighbours }: FolderContentProps) {
  const { address } = useAddress();
  const { error } = useQuery(folderLevelQuery(bucket.bucketId, address.folder));
  const reason = error === null ? "" : reasonOf(error);
  if (reason === "FOLDER_NOT_FOUND" || reason === "FIELD_INVALID") {
    const { notFound, invalid, toRoot, toParent } = strings.folders;
    const path = formatName(address.folder);
    const text =
      reason === "FIELD_INVALID" ? `${invalid(path)} ${messageOf(error)}` : notFound(path);
    return (
      <Failure text={text}>
        <p className="page-ways-on">
          <AddressLink change={openingOf(parentOf(address.folder))}>{toParent}</AddressLink>
          <AddressLink change={openingOf("/")}>{toRoot}</AddressLink>
        </p>
      </Failure>
    );
  }
  if (address.view === "list") return <UploadList bucket={bucket} onNeighbours={onNeighbours} />;
  return (
    <LoadedPart name="the chart" load={() => import("../space/space-chart.tsx")}>
      {({ SpaceChart }) => <SpaceChart bucket={bucket} />}
    </LoadedPart>
  );
}
