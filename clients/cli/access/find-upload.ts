/** Finds the upload that a path on the command line names. */
import { create } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { foldName } from "@stowage/api/names/fold-name";
import {
  type BucketUploadsService,
  ListUploadsRequestSchema,
} from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { bucketRefOf } from "../arguments.ts";
import { callError } from "./connection.ts";

interface NamedUpload {
  /** A folder and a filename: `/photos/2026/cat.jpg`. */
  readonly path: string;
  readonly bucket: string | undefined;
  /** Tells uploads at the same path apart. */
  readonly id: string | undefined;
}

/** The limit of the service for a search, in code points. */
const searchLengthMax = 256;

/** Throws an Error that lists the uploads if the path names several. */
export async function findUpload(
  client: Client<typeof BucketUploadsService>,
  { path, bucket, id }: NamedUpload,
): Promise<Upload> {
  const filename = path.slice(path.lastIndexOf("/") + 1);
  if (filename === "") throw new Error(`Cannot find ${path}: need the path of a file`);
  const request = create(ListUploadsRequestSchema, {
    ...(bucket !== undefined && { bucketRef: bucketRefOf(bucket) }),
    path: path.slice(0, -filename.length) || "/",
    search: wholeNamePattern(filename),
    sortBy: "filename",
    sortOrder: "asc",
    pageSize: 1000,
  });
  const found: Upload[] = [];
  let isPast: boolean;
  do {
    const page = await client.listUploads(request).catch((error: unknown) => {
      throw callError(`Cannot find ${path}`, error);
    });
    found.push(...page.uploads.filter((upload) => upload.filename === filename));
    request.cursor = page.nextCursor;
    // Uploads of one name follow each other.
    isPast = found.length > 0 && page.uploads.at(-1)?.filename !== filename;
  } while (request.cursor !== "" && !isPast);

  const named = id === undefined ? found : found.filter(({ uploadId }) => uploadId === id);
  const [upload] = named;
  if (upload !== undefined && named.length === 1) return upload;
  if (upload === undefined) throw new Error(`Cannot find ${path}: no such file in the index`);
  const ids = named.map(({ uploadId }) => uploadId).join(", ");
  throw new Error(`Cannot tell what ${path} is: name one of its files with --id: ${ids}`);
}

/**
 * A search that matches this whole name and few others. A text without `*` and `?` would also find
 * every name that contains it.
 */
function wholeNamePattern(filename: string): string {
  // The service compares names in this form, whose code points `?` counts.
  const name = [...foldName(filename).replaceAll("*", "?")];
  if (name.length > searchLengthMax) return `${name.slice(0, searchLengthMax - 1).join("")}*`;
  return name.includes("?") ? name.join("") : `${name.slice(0, -1).join("")}?`;
}
