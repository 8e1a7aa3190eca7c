/** Maps an object of a source to the upload or the folder that it becomes in the index. */
import type { FolderPathRecord, ObjectRecord } from "../import/records/record.ts";
import { deterministicUploadId } from "../model/deterministic-ids.ts";
import { canBeIndexed } from "../model/microseconds.ts";
import { uploadTypeOf } from "../model/upload-type.ts";
import { externalPathOf, type Mount, pathOfKey } from "./keys.ts";
import type { ListedObject } from "./lister.ts";

/** An object with a size or a time that the index cannot hold. What the index has of it stays. */
export class ValueError extends Error {
  override readonly name = "ValueError";
}

export interface BucketMount extends Mount {
  readonly bucketId: string;
}

/**
 * The upload or the folder that an object becomes.
 *
 * @param line the number of the object in the listing.
 * @throws KeyError or ValueError if the index cannot hold the object.
 */
export function mapObject(
  object: ListedObject,
  source: BucketMount,
  line: number,
): FolderPathRecord | ObjectRecord {
  const { bucketId } = source;
  const { key, sizeBytes, createdAtMicros, updatedAtMicros, s3, tags } = object;
  const { path, filename } = pathOfKey(key, sizeBytes, source);
  if (filename === undefined) return { kind: "folder path", bucketId, path };
  if (!Number.isSafeInteger(sizeBytes)) throw new ValueError("it is over 2^53-1 bytes");
  if (updatedAtMicros === undefined)
    throw new ValueError("its time does not exist, or is not written as ISO 8601 says");
  if (!canBeIndexed(createdAtMicros ?? updatedAtMicros) || !canBeIndexed(updatedAtMicros)) {
    throw new ValueError("its time is outside the years 1 to 9999");
  }
  const fields = {
    uploadId: deterministicUploadId(bucketId, path, filename),
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
  return { kind: "object", line, bucketId, object: fields };
}
