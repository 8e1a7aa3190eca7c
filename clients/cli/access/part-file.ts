/** The file beside a download that has its content until it is complete, to be continued. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";

/** The limit of all common file systems of Linux. */
const nameBytesMax = 255;

/** Another content has another part file, so that parts of two are never joined. */
export function partFileOf(file: string, upload: Upload): string {
  const suffix = `.${versionOf(upload)}.part`;
  const name = [...basename(file)];
  while (Buffer.byteLength(name.join("") + suffix) > nameBytesMax) name.pop();
  return join(dirname(file), name.join("") + suffix);
}

function versionOf({ uploadId, sizeBytes, updatedAt }: Upload): string {
  const text = [uploadId, sizeBytes, updatedAt?.seconds, updatedAt?.nanos].join(" ");
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** Opens the file, or makes it. */
export async function openPart(part: string, { sizeBytes }: Upload): Promise<FileHandle> {
  const handle = await open(part, constants.O_RDWR | constants.O_CREAT, 0o666);
  if (BigInt((await handle.stat()).size) <= sizeBytes) return handle;
  // It is not a part of this content.
  await handle.close();
  await rm(part);
  return await open(part, "wx+");
}

/** At a position, not at the end: another command may download the same content into the file. */
export async function writeAt(handle: FileHandle, start: number, content: AsyncIterable<Buffer>) {
  let at = start;
  for await (const chunk of content) {
    for (let rest = chunk; rest.length > 0; ) {
      const { bytesWritten } = await handle.write(rest, 0, rest.length, at);
      at += bytesWritten;
      rest = rest.subarray(bytesWritten);
    }
  }
}
