/**
 * Lists a bucket in an S3 store. This file and what it imports are loaded only when a store is
 * listed, because the client of stores takes longer to load than all else.
 */
import { openReport } from "./inventory/list-report.ts";
import type { OpenedListing } from "./lister.ts";
import { bucketLister } from "./s3/list-bucket.ts";
import { openStore } from "./s3/store.ts";
import { StoreError } from "./s3/store-error.ts";
import type { S3Location } from "./source.ts";

interface StoreListing {
  readonly location: Omit<S3Location, "kind">;
  /** The Inventory report that is read in place of the bucket. It has no tags. */
  readonly manifest?: { readonly bucket: string; readonly key: string } | undefined;
  readonly listedAt?: Date | undefined;
}

/** @throws StoreError if there is a report and it cannot be used. */
export async function listStore(
  { location, manifest, listedAt }: StoreListing,
  signal: AbortSignal,
): Promise<OpenedListing> {
  const { prefix, tags, versions } = location;
  if (manifest !== undefined) {
    if (tags) {
      throw new StoreError(
        "--tags needs the tags of the objects, and Inventory reports (--inventory) have none: " +
          "leave one of the two out",
      );
    }
    return await openReport({ location, prefix, versions, manifest, listedAt }, signal);
  }
  return { lister: bucketLister({ store: openStore(location), prefix, tags, versions }) };
}
