/** The folders of a bucket: a filter box, and the tree. */
import "./folder-tree.css";
import { memo } from "react";
import { openingOf } from "../address/address.ts";
import { go } from "../address/use-address.ts";
import { messageOf, reasonOf } from "../api/call-error.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { RetryButton } from "../focus/retry-button.tsx";
import { strings } from "../text/strings.ts";
import { FolderFilter } from "./folder-filter.tsx";
import { TreeList } from "./tree-list.tsx";
import { useTree } from "./use-tree.ts";

interface Props {
  readonly bucket: Bucket;
  /** The folder that is shown beside the tree. */
  readonly folder: string;
  /** The text that the tree is filtered by. */
  readonly folderFilter: string;
  /** Called when the reader opened a folder. */
  readonly onOpen?: () => void;
}

/** Is not rendered again for other changes of the address: a tree may have 10,000 rows. */
export const FolderTree = memo(function FolderTree(props: Props) {
  const { bucket, folder, folderFilter, onOpen } = props;
  const tree = useTree(bucket.bucketId, folder, folderFilter);
  const { rows, filter, isLoading, error, retry, toggle } = tree;
  const isTooLarge = error !== undefined && reasonOf(error) === "TREE_TOO_LARGE";
  const isEmpty = filter !== "" && rows.length === 1 && !isLoading && error === undefined;
  return (
    <div className="folders">
      <FolderFilter key={`filter ${bucket.bucketId}`} />
      <div className="folders-status" role="status">
        {isEmpty && <p>{strings.folders.noMatch(filter)}</p>}
        {isTooLarge && <p>{strings.folders.tooLarge}</p>}
        {error !== undefined && !isTooLarge && (
          <p>
            {strings.folders.failed} {messageOf(error)} <RetryButton onRetry={retry} />
          </p>
        )}
      </div>
      {!isTooLarge && (
        <TreeList
          key={`tree ${bucket.bucketId}`}
          bucket={bucket}
          rows={rows}
          folder={folder}
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
});
