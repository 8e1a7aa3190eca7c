/** How an upload is shown before it is opened. */
import { type Upload, UploadType } from "@stowage/api/svc/api/v1/upload_pb";

export type PreviewKind = "image" | "audio" | "video" | "pdf" | "text";

/**
 * By the extensions that the service serves in place: it sends everything else as an attachment.
 * Keep in step with `content-headers.ts` of the uploads service.
 */
const extensions: Readonly<Record<PreviewKind, readonly string[]>> = {
  image: ["avif", "bmp", "dib", "gif", "jfif", "jpe", "jpeg", "jpg", "png", "webp"],
  audio: [
    ..."aac adts flac m2a m3a m4a m4b mp2 mp2a mp3 mp4a mpga oga ogg opus spx wav weba".split(" "),
  ],
  video: ["m4v", "mp4", "mp4v", "mpg4", "ogv", "webm"],
  pdf: ["pdf"],
  text: [
    ..."conf css csv def ini json list log map markdown md sh text toml txt yaml yml".split(" "),
  ],
};

const kinds = Object.keys(extensions) as PreviewKind[];

/** Larger pictures take more memory than a preview is worth. */
export const imageBytesMax = 64 * 1024 * 1024;

/** Undefined: there is no preview. */
export function previewKindOf({
  filename,
  type,
  sizeBytes,
}: Pick<Upload, "filename" | "type" | "sizeBytes">): PreviewKind | undefined {
  // A name without a dot counts as an extension, as it does for the service.
  const extension = filename.slice(filename.lastIndexOf(".") + 1).toLowerCase();
  const kind = kinds.find((candidate) => extensions[candidate].includes(extension));
  if (kind === "image" && sizeBytes > imageBytesMax) return undefined;
  // Source code is an attachment, but the page reads text itself and interprets nothing in it.
  return kind ?? (type === UploadType.TEXT ? "text" : undefined);
}
