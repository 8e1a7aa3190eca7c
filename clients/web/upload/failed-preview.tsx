/** Why there is no preview, and what can still be done. */
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { isUnauthenticated } from "../api/call-error.ts";
import { RetryButton } from "../focus/retry-button.tsx";
import { strings } from "../text/strings.ts";
import { type ContentFailure, failureText, readFailure } from "./content-failure.ts";
import { Placeholder, PreviewLoading } from "./preview-frame.tsx";
import { webHref } from "./upload-facts.ts";

/** Asks whether there is content at all, so that the download is not offered in vain. */
export function NoPreview({ upload, href }: { readonly upload: Upload; readonly href: string }) {
  const { data, refetch } = useFailure(upload, href);
  if (data) return <FailedPreview upload={upload} href={href} reason={data} onRetry={refetch} />;
  return <Placeholder upload={upload} text={strings.preview.none} />;
}

interface FailedProps {
  readonly upload: Upload;
  readonly href: string;
  readonly reason: ContentFailure | undefined;
  readonly onRetry: () => void;
}

export function FailedPreview({ upload, href, reason, onRetry }: FailedProps) {
  const client = useQueryClient();
  const { data, error, refetch } = useFailure(upload, href, reason === undefined);
  const asked = error === null ? data : failureOfError(error);
  const isRecovered = useRecovery(asked, onRetry);
  if (isRecovered || (reason === undefined && asked === undefined)) return <PreviewLoading />;
  // The content is there: it is the preview that failed.
  const failure = reason ?? asked ?? "unreadable";
  const canRetry = passing.includes(failure);
  const retry = () => {
    // A sync may have indexed it anew.
    void client.invalidateQueries({ queryKey: ["upload"] });
    void refetch();
    onRetry();
  };
  return (
    <Placeholder upload={upload} text={failureText(failure, upload)} isAlert>
      {canRetry && <RetryButton className="upload-button" onRetry={retry} />}
    </Placeholder>
  );
}

/** Failures after which it may help to try again. */
const passing: readonly ContentFailure[] = ["unavailable", "tooMany", "changed"];

/** The failure to show when the check itself failed. */
export function failureOfError(error: unknown): ContentFailure {
  return isUnauthenticated(error) ? "signedOut" : "unavailable";
}

/** Tries again when content can be read after all: the preview is not what failed. */
function useRecovery(asked: ContentFailure | null | undefined, onRetry: () => void): boolean {
  const [failed, setFailed] = useState(false);
  const isFailed = asked !== null && asked !== undefined;
  if (isFailed && !failed) setFailed(true);
  const isRecovered = failed && asked === null;
  useEffect(() => {
    if (isRecovered) onRetry();
  });
  return isRecovered;
}

/** The data is null if the content can be read. */
function useFailure({ updatedAt }: Upload, href: string, enabled = true) {
  const { data, error, refetch } = useQuery({
    queryKey: ["content-failure", href, String(updatedAt?.seconds)],
    queryFn: async ({ signal }) => (await readFailure(href, signal)) ?? null,
    enabled,
    retry: false,
    refetchInterval: false,
    staleTime: 0,
    gcTime: 0,
  });
  return { data, error, refetch: () => void refetch() };
}

export function NotHeld({ upload }: { readonly upload: Upload }) {
  const elsewhere = webHref(upload.contentUrl) ?? webHref(upload.url);
  return (
    <Placeholder upload={upload} text={strings.preview.failures.notHeld}>
      {elsewhere !== undefined && (
        <a href={elsewhere} rel="noreferrer" target="_blank">
          {strings.preview.contentLink}
        </a>
      )}
    </Placeholder>
  );
}
