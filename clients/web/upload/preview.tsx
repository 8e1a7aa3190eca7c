/** What an upload looks like. A preview that fails says why, and what can still be done. */
import "./preview.css";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { type ReactNode, useState } from "react";
import type { Bucket } from "../buckets/bucket.ts";
import { strings } from "../text/strings.ts";
import { type ContentFailure, contentHref } from "./content-failure.ts";
import { FailedPreview, NoPreview, NotHeld } from "./failed-preview.tsx";
import { ImagePreview, MediaPreview } from "./media-preview.tsx";
import { PdfPreview } from "./pdf-preview.tsx";
import { Placeholder, type PreviewProps } from "./preview-frame.tsx";
import { type PreviewKind, previewKindOf } from "./preview-kind.ts";
import { TextPreview } from "./text-preview.tsx";

const previews: Readonly<Record<PreviewKind, (props: PreviewProps) => ReactNode>> = {
  image: ImagePreview,
  audio: (props) => <MediaPreview element="audio" {...props} />,
  video: (props) => <MediaPreview element="video" {...props} />,
  text: TextPreview,
  pdf: PdfPreview,
};

interface Props {
  readonly bucket: Bucket;
  readonly upload: Upload;
  readonly isHeld: boolean;
}

export function Preview({ bucket, upload, isHeld }: Props) {
  const kind = previewKindOf(upload);
  const href = contentHref(bucket, upload);
  const [failure, setFailure] = useState<ContentFailure | "unknown">();
  const Shown = kind === undefined ? undefined : previews[kind];
  const shown = () => {
    if (!isHeld) return <NotHeld upload={upload} />;
    if (failure !== undefined) {
      const isKnown = failure !== "unknown";
      return (
        <FailedPreview
          upload={upload}
          href={href}
          reason={isKnown ? failure : undefined}
          onRetry={() => setFailure(undefined)}
        />
      );
    }
    if (upload.sizeBytes === 0n) {
      return <Placeholder upload={upload} text={strings.preview.empty} />;
    }
    if (Shown === undefined) return <NoPreview upload={upload} href={href} />;
    const fail = (reason?: ContentFailure) => setFailure(reason ?? "unknown");
    return <Shown upload={upload} href={href} onFailure={fail} />;
  };
  return (
    <section className="upload-preview" aria-label={strings.preview.label}>
      {shown()}
    </section>
  );
}
