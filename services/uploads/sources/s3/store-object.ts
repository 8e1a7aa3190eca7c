import type { Key } from "../keys.ts";
import type { ListedObject } from "../lister.ts";

interface StoreEntry {
  readonly key: Key;
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
  /** With its quotes. */
  readonly etag: string | undefined;
  readonly storageClass: string | undefined;
  readonly versionId: string | undefined;
}

/** An object as an S3 store lists it, or as an Inventory report does. */
export function storeObject(entry: StoreEntry): ListedObject {
  const { key, sizeBytes, modifiedAt, etag, storageClass, versionId } = entry;
  return {
    key,
    sizeBytes,
    createdAtMicros: undefined,
    updatedAtMicros: BigInt(modifiedAt.getTime()) * 1000n,
    s3: {
      etag: etag ?? "",
      storageClass: storageClass ?? "STANDARD",
      ...(versionId !== undefined && { versionId }),
    },
  };
}
