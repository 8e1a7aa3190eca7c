import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";

/** The folder and filename of an upload: `/photos/2026/quay.jpg`. */
export function pathOf({ path, filename }: Pick<Upload, "path" | "filename">): string {
  return `${path === "/" ? "" : path}/${filename}`;
}
