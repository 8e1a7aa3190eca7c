/** The beginning of a text. Nothing in it is interpreted. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { formatName, formatSize } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import { ContentError } from "./content-failure.ts";
import { contentVersionOf } from "./content-version.ts";
import { PreviewLoading, type PreviewProps } from "./preview-frame.tsx";
import { readText, textBytesMax } from "./read-text.ts";

export function TextPreview({ upload, href, onFailure }: PreviewProps) {
  const { sizeBytes } = upload;
  const { data, error } = useQuery({
    queryKey: ["content-text", href, contentVersionOf(upload)],
    queryFn: ({ signal }) => readText(href, { sizeBytes, signal }),
    staleTime: Infinity,
    retry: false,
    gcTime: 0,
  });
  useEffect(() => {
    if (error !== null) onFailure(error instanceof ContentError ? error.failure : undefined);
  });
  if (data === undefined) return <PreviewLoading />;
  return (
    <>
      {sizeBytes > textBytesMax && (
        <p className="upload-note">{strings.preview.cut(formatSize(textBytesMax))}</p>
      )}
      <textarea
        className="upload-text"
        aria-label={strings.preview.textOf(formatName(upload.filename))}
        value={data}
        dir="auto"
        spellCheck={false}
        readOnly
      />
    </>
  );
}
