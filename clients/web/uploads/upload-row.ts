/** The fields of an upload that rows show. */

/** An upload as JSON has it. Members with default values may be left out. */
export interface JsonUpload {
  readonly uploadId: string;
  readonly filename: string;
  readonly path: string;
  readonly sizeBytes?: string | number;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly order?: number;
  readonly type?: string;
  readonly tags?: readonly string[];
}

/** Small, since the page keeps up to 20,000 of them. */
export interface UploadRow {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** Milliseconds since 1970; undefined if the upload has no such time. */
  readonly createdAtMs: number | undefined;
  readonly updatedAtMs: number | undefined;
  readonly order: number;
  /** `image`, `document` and so on; empty if it is not known. */
  readonly type: string;
  readonly tags: readonly string[];
}

const noTags: readonly string[] = [];

export function rowOf(upload: JsonUpload): UploadRow {
  return {
    id: upload.uploadId,
    name: upload.filename,
    path: upload.path,
    sizeBytes: Number(upload.sizeBytes ?? 0),
    createdAtMs: millisecondsOf(upload.createdAt),
    updatedAtMs: millisecondsOf(upload.updatedAt),
    order: upload.order ?? 0,
    type: typeOf(upload.type),
    tags: upload.tags === undefined || upload.tags.length === 0 ? noTags : upload.tags,
  };
}

function millisecondsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}

const typePrefix = "UPLOAD_TYPE_";

function typeOf(type: string | undefined): string {
  if (type === undefined || type === "UPLOAD_TYPE_UNSPECIFIED") return "";
  return type.slice(typePrefix.length).toLowerCase();
}
