import type { BigIntStats } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { type Upload, UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { deterministicUploadId } from "../../model/deterministic-ids.ts";
import { timestampOfMicros } from "../../model/timestamps.ts";
import { uploadTypeOf } from "../../model/upload-type.ts";
import { filenameBytesMax } from "../records/checks.ts";

/** A file that cannot be in the index. */
export class FileError extends Error {
  override readonly name = "FileError";
}

/**
 * The upload of a file. `createdAt` is when the file was made or last changed, whichever is
 * earlier: a copy can be younger than its content, and not every file system stores when a file was
 * made. Throws `FileError`.
 */
export function uploadOfFile(file: {
  bucketId: string;
  /** Of the folder, in normal form. */
  path: string;
  filename: string;
  stats: BigIntStats;
}): Upload {
  const { bucketId, path, filename, stats } = file;
  const { mtimeNs, birthtimeNs, size } = stats;
  if (Buffer.byteLength(filename) > filenameBytesMax) {
    throw new FileError(`its name is over ${filenameBytesMax} bytes`);
  }
  if (size > Number.MAX_SAFE_INTEGER) throw new FileError(`it is ${size} bytes, over 2^53-1`);
  const createdNs = birthtimeNs > 0n && birthtimeNs < mtimeNs ? birthtimeNs : mtimeNs;
  return create(UploadSchema, {
    uploadId: deterministicUploadId(bucketId, path, filename),
    path,
    filename,
    slug: filename,
    sizeBytes: size,
    type: uploadTypeOf(filename),
    createdAt: timestampOfMicros(microsOf(createdNs)),
    updatedAt: timestampOfMicros(microsOf(mtimeNs)),
  });
}

const nanosMin = BigInt(Date.parse("0001-01-01T00:00:00Z")) * 1_000_000n;
const nanosMax = BigInt(Date.parse("9999-12-31T23:59:59Z")) * 1_000_000n;

function microsOf(nanos: bigint): bigint {
  if (nanos < nanosMin || nanos > nanosMax) {
    throw new FileError("its time is outside the years 1 to 9999");
  }
  const fraction = ((nanos % 1000n) + 1000n) % 1000n;
  return (nanos - fraction) / 1000n;
}
