/** The folders and uploads of a folder. */
import "./upload-list.css";
import { onlineManager } from "@tanstack/react-query";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { useAddress } from "../address/use-address.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { strings } from "../text/strings.ts";
import { FilterBar } from "./filter-bar.tsx";
import type { Neighbours } from "./list-entries.ts";
import { ListGrid } from "./list-grid.tsx";
import { EmptyMessage, ErrorMessage, FewFound } from "./list-message.tsx";
import { type ShownList, useList } from "./use-list.ts";

interface Props {
  readonly bucket: Bucket;
  /** Is told which uploads are next to the one that the address names. */
  readonly onNeighbours: (neighbours: Neighbours) => void;
}

export function UploadList({ bucket, onNeighbours }: Props) {
  const { address } = useAddress();
  const shown = useList(bucket, address);
  useNeighbours(shown, onNeighbours);
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

function useNeighbours({ entries, address }: ShownList, onNeighbours: Props["onNeighbours"]): void {
  const { previous, next } = useMemo(
    () => entries.neighboursOf(address.upload),
    [entries, address.upload],
  );
  useEffect(() => {
    onNeighbours({ previous, next });
    return () => onNeighbours({});
  }, [onNeighbours, previous, next]);
}

function ListBody({ shown }: { readonly shown: ShownList }) {
  const { entries, hasAnswer, error } = shown;
  if (!hasAnswer && error === undefined) return <Loading />;
  if (!hasAnswer) return <ErrorMessage shown={shown} isMore={false} />;
  return (
    <>
      {error !== undefined && <ErrorMessage shown={shown} isMore />}
      {entries.length > 0 && <FewFound {...shown} />}
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
