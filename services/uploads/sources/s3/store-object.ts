import type { Microseconds } from "../../model/microseconds.ts";
import type { Key } from "../keys.ts";
import type { ListedObject } from "../lister.ts";

interface StoreEntry {
  readonly key: Key;
  readonly sizeBytes: number;
  /** Undefined: there is no such time. */
  readonly modifiedAtMicros: Microseconds | undefined;
  /** Stores and reports also give none, an empty one, `null`, or one without its quotes. */
  readonly etag: string | undefined;
  readonly storageClass: string | undefined;
  readonly versionId: string | undefined;
}

/** An object as an S3 store lists it, or as an Inventory report does. */
export function storeObject(entry: StoreEntry): ListedObject {
  const { key, sizeBytes, modifiedAtMicros, etag, storageClass, versionId } = entry;
  return {
    key,
    sizeBytes,
    createdAtMicros: undefined,
    updatedAtMicros: modifiedAtMicros,
    s3: {
      etag: quoted(etag ?? ""),
      storageClass: storageClass ?? "STANDARD",
      ...(versionId !== undefined && { versionId }),
    },
  };
}

function quoted(etag: string): string {
  const text = etag.replace(/^"(.*)"$/, "$1");
  if (text === "" || text === "null") return "";
  return etag.endsWith('"') ? etag : `"${text}"`;
}
