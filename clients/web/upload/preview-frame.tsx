/** What all previews share: what they are given, and what stands in their place. */
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import type { ReactNode } from "react";
import { strings } from "../text/strings.ts";
import type { ContentFailure } from "./content-failure.ts";
import { TypeIcon } from "./type-icon.tsx";

export interface PreviewProps {
  readonly upload: Upload;
  readonly href: string;
  /** Called when it cannot be shown. Without a reason, the content is asked for it. */
  readonly onFailure: (failure?: ContentFailure) => void;
}

export function PreviewLoading() {
  return (
    <p className="upload-message is-late" role="status">
      {strings.preview.loading}
    </p>
  );
}

interface PlaceholderProps {
  readonly upload: Upload;
  readonly text: string;
  readonly isAlert?: boolean;
  readonly children?: ReactNode;
}

export function Placeholder({ upload, text, isAlert = false, children }: PlaceholderProps) {
  return (
    <div className="upload-placeholder" role={isAlert ? "alert" : undefined}>
      <TypeIcon type={upload.type} />
      <p>{text}</p>
      {children}
    </div>
  );
}
