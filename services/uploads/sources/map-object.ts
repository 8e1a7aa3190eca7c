/** Maps an object of a source to the upload or the folder that it becomes in the index. */
import type { ObjectFields } from "../import/records/record.ts";
import { deterministicUploadId } from "../model/deterministic-ids.ts";
import { uploadTypeOf } from "../model/upload-type.ts";
import { externalPathOf, KeyError, type Mount, pathOfKey } from "./keys.ts";
import type { ListedObject } from "./lister.ts";

export interface BucketMount extends Mount {
  readonly bucketId: string;
}

type MappedObject =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "upload"; readonly object: ObjectFields };

/**
 * The upload or the folder that an object becomes.
 *
 * @throws KeyError if the index cannot hold the object.
 */
export function mapObject(object: ListedObject, source: BucketMount): MappedObject {
  const { key, sizeBytes, createdAtMicros, updatedAtMicros, s3, tags = [] } = object;
  const { path, filename } = pathOfKey(key, sizeBytes, source);
  if (filename === undefined) return { kind: "folder", path };
  if (!Number.isSafeInteger(sizeBytes)) throw new KeyError("it is over 2^53-1 bytes");
  const fields = {
    uploadId: deterministicUploadId(source.bucketId, path, filename),
    path,
    filename,
    sizeBytes: BigInt(sizeBytes),
    type: uploadTypeOf(filename),
    tags,
    createdAtMicros,
    updatedAtMicros,
    intentMetadata: s3 === undefined ? {} : { s3 },
    externalPath: externalPathOf(key),
  };
  return { kind: "upload", object: fields };
}
