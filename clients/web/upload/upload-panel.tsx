/** One upload: what it looks like, what is known of it, and links to it. */
import "./upload-panel.css";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { useLayoutEffect } from "react";
import { go } from "../address/use-address.ts";
import { useLastingFailure } from "../api/use-lasting-failure.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { focusNewHeading } from "../focus/focus-list.ts";
import { RetryButton } from "../focus/retry-button.tsx";
import { useCharacterKeys } from "../keys/character-keys.ts";
import { formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import type { Neighbours } from "../uploads/list-entries.ts";
import { contentHref, isMirrored } from "./content-failure.ts";
import { contentVersionOf } from "./content-version.ts";
import { FactList } from "./fact-list.tsx";
import { Preview } from "./preview.tsx";
import { RelatedLists } from "./related-lists.tsx";
import { UploadActions } from "./upload-actions.tsx";
import { useUpload } from "./use-upload.ts";

interface Props {
  readonly bucket: Bucket;
  readonly uploadId: string;
  readonly neighbours: Neighbours;
}

export function UploadPanel({ bucket, uploadId, neighbours }: Props) {
  const query = useUpload(bucket.bucketId, uploadId);
  useLayoutEffect(focusNewHeading, []);
  const upload = query.data ?? undefined;
  return (
    <div className="upload">
      <PanelHeader upload={upload} neighbours={neighbours} />
      {upload === undefined ? (
        <NoUpload query={query} />
      ) : (
        <UploadContent key={uploadId} bucket={bucket} upload={upload} />
      )}
    </div>
  );
}

interface HeaderProps {
  readonly upload: Upload | undefined;
  readonly neighbours: Neighbours;
}

function PanelHeader({ upload, neighbours }: HeaderProps) {
  return (
    <header className="upload-header">
      <h2 id="upload-heading" tabIndex={-1} aria-live="polite">
        <bdi>{upload === undefined ? strings.upload.label : formatName(upload.filename)}</bdi>
      </h2>
      <StepButton direction="previous" neighbours={neighbours} />
      <StepButton direction="next" neighbours={neighbours} />
      <button
        type="button"
        className="upload-icon"
        aria-label={strings.upload.close}
        title={strings.upload.close}
        onClick={() => go({ upload: "" })}
      >
        <Icon path="M3 3l10 10M13 3L3 13" />
      </button>
    </header>
  );
}

interface StepProps {
  readonly direction: "previous" | "next";
  readonly neighbours: Neighbours;
}

const steps = {
  previous: { key: "p", path: "M3 10.5 8 5.5 13 10.5" },
  next: { key: "n", path: "M3 5.5 8 10.5 13 5.5" },
} as const;

/** Shows the upload above or below in the list. At the ends it keeps the focus and does nothing. */
function StepButton({ direction, neighbours }: StepProps) {
  const { key, path } = steps[direction];
  const row = neighbours[direction];
  return (
    <button
      type="button"
      className={`upload-icon upload-${direction}`}
      aria-label={strings.upload[direction]}
      title={strings.upload[direction]}
      aria-keyshortcuts={useCharacterKeys() ? key : undefined}
      aria-disabled={row === undefined}
      onClick={() => row && go({ upload: row.id }, "replace")}
    >
      <Icon path={path} />
    </button>
  );
}

function Icon({ path }: { readonly path: string }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={path} stroke="currentColor" strokeWidth="1.6" fill="none" />
    </svg>
  );
}

function NoUpload({ query }: { readonly query: ReturnType<typeof useUpload> }) {
  const { hasFailed, retry } = useLastingFailure(query);
  if (query.data === null) {
    return (
      <p className="upload-message" role="alert">
        {strings.upload.notFound}
      </p>
    );
  }
  if (hasFailed) {
    return (
      <div className="upload-message" role="alert">
        <p>{strings.upload.failed}</p>
        <RetryButton onRetry={retry} />
      </div>
    );
  }
  return (
    <p className="upload-message is-late" role="status">
      {strings.upload.loading}
    </p>
  );
}

function UploadContent({ bucket, upload }: { readonly bucket: Bucket; readonly upload: Upload }) {
  const isHeld = isMirrored(bucket, upload);
  const { href } = new URL(contentHref(bucket, upload), window.location.origin);
  return (
    <>
      <Preview key={contentVersionOf(upload)} bucket={bucket} upload={upload} isHeld={isHeld} />
      <UploadActions bucket={bucket} upload={upload} isHeld={isHeld} />
      <FactList upload={upload} contentAddress={isHeld ? href : undefined} />
      <RelatedLists upload={upload} />
    </>
  );
}
