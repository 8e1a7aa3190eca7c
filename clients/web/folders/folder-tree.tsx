/** The folders of a bucket: a filter box, and the tree. */
import "./folder-tree.css";
import { go, useAddress } from "../address/use-address.ts";
import { messageOf, reasonOf } from "../api/call-error.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { strings } from "../text/strings.ts";
import { FolderFilter } from "./folder-filter.tsx";
import { openingOf } from "./open-folder.ts";
import { TreeList } from "./tree-list.tsx";
import { useTree } from "./use-tree.ts";

interface Props {
  readonly bucket: Bucket;
  /** Called when the reader opened a folder. */
  readonly onOpen?: () => void;
}

export function FolderTree({ bucket, onOpen }: Props) {
  const { address } = useAddress();
  const { rows, filter, isLoading, error, retry, toggle } = useTree(
    bucket.bucketId,
    address.folder,
    address.folderFilter,
  );
  const isTooLarge = error !== undefined && reasonOf(error) === "TREE_TOO_LARGE";
  const isEmpty = filter !== "" && rows.length === 1 && !isLoading && error === undefined;
  return (
    <div className="folders">
      <FolderFilter key={bucket.bucketId} />
      <div className="folders-status" role="status">
        {isEmpty && <p>{strings.folders.noMatch(filter)}</p>}
        {isTooLarge && <p>{strings.folders.tooLarge}</p>}
        {error !== undefined && !isTooLarge && (
          <p>
            {strings.folders.failed} {messageOf(error)}{" "}
            <button type="button" onClick={retry}>
              {strings.page.retry}
            </button>
          </p>
        )}
      </div>
      {!isTooLarge && (
        <TreeList
          key={bucket.bucketId}
          rootName={bucket.hostname}
          rows={rows}
          folder={address.folder}
          filter={filter}
          isLoading={isLoading}
          onToggle={toggle}
          onOpen={(path) => {
            go(openingOf(path));
            onOpen?.();
          }}
        />
      )}
    </div>
  );
}
