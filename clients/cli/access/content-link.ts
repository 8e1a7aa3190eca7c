/** Links to the content of uploads, as the service makes them. */
import { create } from "@bufbuild/protobuf";
import {
  ContentService,
  CreateContentLinkRequestSchema,
} from "@stowage/api/stowage/v1/content_service_pb";
import { UploadsService } from "@stowage/api/stowage/v1/uploads_service_pb";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { type Command, Option } from "commander";
import { bucketOption, bucketRefOf } from "../arguments.ts";
import type { ConnectionOptions } from "./choose-access.ts";
import { addConnectionOptions, callError, connect } from "./connection.ts";
import { findUpload } from "./find-upload.ts";

export interface ContentOptions extends ConnectionOptions {
  readonly bucket?: string;
  readonly id?: string;
}

interface LinkedUpload {
  readonly upload: Upload;
  readonly url: string;
}

/** The path and the options that say which upload a command means. */
export function addContentOptions(
  command: Command,
  path = "folder and name of the file: /photos/cat.jpg",
): Command {
  command
    .argument("<path>", path)
    .addOption(bucketOption())
    .addOption(new Option("--id <id>", "which of several files at this path"));
  return addConnectionOptions(command);
}

/** Finds the upload, and makes a link to its content. */
export async function linkContent(
  path: string,
  options: ContentOptions,
  link: { readonly expiresInSeconds: number; readonly attachment: boolean },
  /** What fails if there is no link. */
  purpose: "read" | "link to" = "link to",
): Promise<LinkedUpload> {
  const { bucket, id } = options;
  if (path.endsWith("/")) throw new Error(`Cannot find ${path}: need the path of a file`);
  const uploads = await connect(UploadsService, options);
  const upload = await findUpload(uploads, { path, bucket, id });
  if (upload === undefined) throw new Error(`Cannot find ${path}: no such file in the index`);
  const request = create(CreateContentLinkRequestSchema, {
    ...(bucket !== undefined && { bucketRef: bucketRefOf(bucket) }),
    uploadId: upload.uploadId,
    ...link,
  });
  const client = await connect(ContentService, options);
  const { url } = await client.createContentLink(request).catch((error: unknown) => {
    throw callError(`Cannot ${purpose} ${path}`, error);
  });
  return { upload, url };
}
