import { UploadType } from "@stowage/api/svc/api/v1/upload_pb";

const sheet = "M5 2h9l5 5v15H5zM14 2v5h5";

/** Lines drawn on a sheet. */
const drawings: Readonly<Partial<Record<UploadType, string>>> = {
  [UploadType.IMAGE]: "M8 18l3-4 2 2 2-3 2 5zM9 10.5h.01",
  [UploadType.VIDEO]: "M10 11l5 3.5-5 3.5z",
  [UploadType.AUDIO]: "M10 17v-6l5-1v6M8.5 17a1.5 1.5 0 1 0 3 0M13.5 16a1.5 1.5 0 1 0 3 0",
  [UploadType.DOCUMENT]: "M8 11h8M8 14h8M8 17h5",
  [UploadType.ARCHIVE]: "M10 3v2m2 0v2m-2 0v2m2 0v2m-2 2h3v4h-3z",
  [UploadType.TEXT]: "M10 11l-2.5 3 2.5 3M14 11l2.5 3-2.5 3",
};

export function TypeIcon({ type }: { readonly type: UploadType }) {
  return (
    <svg className="upload-icon" viewBox="0 0 24 24" width="56" height="56" aria-hidden="true">
      <path
        d={`${sheet}${drawings[type] ?? ""}`}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
