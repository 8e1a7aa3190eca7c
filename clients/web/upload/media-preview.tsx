/** Previews that browsers show by themselves. */
import { formatName } from "../text/format.ts";
import { contentVersionOf } from "./content-version.ts";
import type { PreviewProps } from "./preview-frame.tsx";

export function ImagePreview({ upload, href, onFailure }: PreviewProps) {
  // Browsers do not ask for a picture again that the page has shown before. The server ignores the
  // version.
  const version = new URLSearchParams({ version: contentVersionOf(upload) });
  return (
    <img
      className="upload-image"
      src={`${href}?${version}`}
      alt={formatName(upload.filename)}
      decoding="async"
      onError={() => onFailure()}
    />
  );
}

interface MediaProps extends PreviewProps {
  readonly element: "audio" | "video";
}

export function MediaPreview({ element: Media, upload, href, onFailure }: MediaProps) {
  return (
    <Media
      className={`upload-${Media}`}
      src={href}
      aria-label={formatName(upload.filename)}
      controls
      preload="metadata"
      onError={() => onFailure()}
    />
  );
}
