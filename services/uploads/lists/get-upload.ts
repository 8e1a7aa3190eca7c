import type {
  GetUploadRequest,
  GetUploadRequestSchema,
} from "@stowage/api/stowage/v1/uploads_service_pb";
import { openBucket } from "../access/open-bucket.ts";
import { readBucketRef, readPath, readText } from "../access/request-fields.ts";
import { isShownTo, isUploadInRanges, visibilityParameters } from "../access/visibility.ts";
import { UploadJson, uploadColumns } from "../answers/upload-json.ts";
import type { Handler } from "../calls/handler.ts";
import type { DatabaseForCaller } from "../fairness/fair-pool.ts";
import { invalidField, uploadNotFound } from "../model/api-error.ts";
import { filenameBytesMax, uploadIdBytesMax } from "../model/limits.ts";
import { treeKey } from "../model/tree-key.ts";
import { positionOf } from "../model/tree-position.ts";
import { bindParameters } from "../postgres/named-parameters.ts";

interface GetUploadOptions {
  readonly databaseFor: DatabaseForCaller;
  /** Of the service: addresses of content begin with it. */
  readonly baseUrl: string;
}

/** `UploadsService.GetUpload`. */
export function getUploadHandler({
  databaseFor,
  baseUrl,
}: GetUploadOptions): Handler<typeof GetUploadRequestSchema> {
  return async (request, { caller, signal, record }) => {
    const bucketName = readBucketRef(request.bucketRef);
    const { isNamed, values } = readUploadName(request);
    return databaseFor(caller).read({ signal, snapshot: true }, async ({ run, readColumn }) => {
      const bucket = await openBucket(run, caller, bucketName);
      const { bucketId, bucketNumber, visibility } = bucket;
      record.bucketId = bucketId;
      const statement = bindParameters(
        `select ${uploadColumns({ withIntegration: true })} from uploads.uploads u
        where u.bucket_number = :bucketNumber and ${isNamed}
          and ${isUploadInRanges} and ${isShownTo(visibility)}
        order by u.upload_id limit 2`,
        { bucketNumber, ...values, ...visibilityParameters(visibility) },
      );
      const json = new UploadJson({ baseUrl, bucketId });
      const found = await readColumn(statement, {
        addRow: (column, row) => column.addWritten((output) => json.write(row, output)),
      });
      const upload = found.at(0);
      if (!upload) throw uploadNotFound();
      record.rows = 1;
      return {
        json: Buffer.from(`{"upload":${upload},"hasMore":${found.length > 1}}`),
        release() {},
      };
    });
  };
}

/** How the request names the upload `u`, in SQL. Throws `ApiError` FIELD_INVALID. */
function readUploadName({ uploadId, path, filename }: GetUploadRequest) {
  if (uploadId !== "" && (path !== "" || filename !== "")) {
    throw invalidField("uploadId", "is given with a path or filename; need one or the other");
  }
  if (uploadId !== "") {
    requireBytes("uploadId", uploadId, uploadIdBytesMax);
    return { isNamed: "u.upload_id = :uploadId", values: { uploadId } };
  }
  requireBytes("filename", filename, filenameBytesMax);
  return {
    isNamed: `u.tree_position = ${positionOf(":folderKey")} and u.filename = :filename`,
    values: { folderKey: treeKey(readPath("path", path)), filename },
  };
}

function requireBytes(field: string, text: string, bytesMax: number): void {
  const sizeBytes = Buffer.byteLength(readText(field, text));
  if (sizeBytes > 0 && sizeBytes <= bytesMax) return;
  throw invalidField(field, `is ${sizeBytes} bytes; need 1 to ${bytesMax}`);
}
