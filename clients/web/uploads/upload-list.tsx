/** The folders and uploads of a folder. */
import "./upload-list.css";
import { onlineManager } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { useAddress } from "../address/use-address.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { strings } from "../text/strings.ts";
import { FilterBar } from "./filter-bar.tsx";
import { ListGrid } from "./list-grid.tsx";
import { EmptyMessage, ErrorMessage } from "./list-message.tsx";
import { type ShownList, useList } from "./use-list.ts";

export function UploadList({ bucket }: { readonly bucket: Bucket }) {
  const { address } = useAddress();
  const shown = useList(bucket, address);
  return (
    <section
      className="list"
      aria-label={strings.uploads.label}
      data-former={shown.isFormer || undefined}
    >
      <FilterBar address={address} />
      <ListBody shown={shown} />
    </section>
  );
}

function ListBody({ shown }: { readonly shown: ShownList }) {
  const { entries, hasAnswer, error } = shown;
  if (!hasAnswer && error === undefined) return <Loading />;
  if (!hasAnswer) return <ErrorMessage shown={shown} isMore={false} />;
  return (
    <>
      {error !== undefined && <ErrorMessage shown={shown} isMore />}
      {entries.length === 0 ? <EmptyMessage {...shown} /> : <ListGrid shown={shown} />}
    </>
  );
}

function subscribeOnline(onChange: () => void): () => void {
  return onlineManager.subscribe(onChange);
}

const skeletonRows = [1, 2, 3, 4, 5, 6, 7, 8];

/** The style sheet shows it only after a moment: most lists are there before. */
function Loading() {
  const isOnline = useSyncExternalStore(subscribeOnline, () => onlineManager.isOnline());
  return (
    <div className="list-loading" role="status" aria-label={strings.uploads.loading}>
      {isOnline || <p className="list-hint">{strings.page.offline}</p>}
      {skeletonRows.map((row) => (
        <div key={row} className="list-row">
          <span className="list-skeleton" />
        </div>
      ))}
    </div>
  );
}
