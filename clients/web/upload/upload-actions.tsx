/** Download, and links and paths to copy. */
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { hrefOf } from "../address/address.ts";
import { useAddress } from "../address/use-address.ts";
import { callJson } from "../api/call-json.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { noteEndedSession } from "../session/session.ts";
import { strings } from "../text/strings.ts";
import { contentHref, failureText, readFailure } from "./content-failure.ts";
import { formatExactTime } from "./exact-formats.ts";
import { failureOfError } from "./failed-preview.tsx";
import { pathOf } from "./upload-path.ts";

const validitySeconds = { hour: 3600, day: 86_400, week: 604_800 } as const;
type Validity = keyof typeof validitySeconds;
const validities = Object.keys(validitySeconds) as Validity[];

/** A store that takes longer to answer does not answer. */
const checkMsMax = 60_000;

const texts = strings.upload;

interface Props {
  readonly bucket: Bucket;
  readonly upload: Upload;
  readonly isHeld: boolean;
}

export function UploadActions({ bucket, upload, isHeld }: Props) {
  const { address } = useAddress();
  const client = useQueryClient();
  const [result, setResult] = useState<ReactNode>(null);
  const copy = async (text: string, said: string) => {
    setResult((await isCopied(text)) ? said : <CopyYourself text={text} />);
  };
  const copyLink = () => {
    // The link also works for people whose first bucket is another.
    const href = hrefOf({ ...address, bucket: bucket.hostname });
    return copy(new URL(href, window.location.origin).href, texts.linkCopied);
  };
  const copyDownloadLink = async (validity: Validity) => {
    try {
      const { url, expiresAt } = await callJson<{ url: string; expiresAt: string }>({
        method: "stowage.v1.ContentService/CreateContentLink",
        request: {
          bucketRef: { bucketId: bucket.bucketId },
          uploadId: upload.uploadId,
          expiresInSeconds: validitySeconds[validity],
          attachment: true,
        },
      });
      const until = formatExactTime(Date.parse(expiresAt));
      await copy(url, texts.downloadLinkCopied(until));
    } catch (error) {
      noteEndedSession(client, error);
      setResult(texts.downloadLinkFailed);
    }
  };
  const href = contentHref(bucket, upload);
  // A download that fails does not tell the page so: it asks for the first byte itself.
  const checkDownload = async () => {
    try {
      const failure = await readFailure(href, AbortSignal.timeout(checkMsMax));
      setResult(failure && failureText(failure, upload));
    } catch (error) {
      noteEndedSession(client, error);
      setResult(failureText(failureOfError(error), upload));
    }
  };
  return (
    <section className="upload-section" aria-label={texts.actions}>
      <div className="upload-actions">
        {isHeld && (
          <a
            className="upload-button is-main"
            href={`${href}?attachment`}
            download={upload.filename}
            onClick={() => void checkDownload()}
          >
            {texts.download}
          </a>
        )}
        <button type="button" className="upload-button" onClick={() => void copyLink()}>
          {texts.copyLink}
        </button>
        <button
          type="button"
          className="upload-button"
          onClick={() => void copy(pathOf(upload), texts.pathCopied)}
        >
          {texts.copyPath}
        </button>
      </div>
      {isHeld && <DownloadLink onCopy={(validity) => void copyDownloadLink(validity)} />}
      <div role="status" className="upload-result">
        {result}
      </div>
    </section>
  );
}

function DownloadLink({ onCopy }: { readonly onCopy: (validity: Validity) => void }) {
  const [validity, setValidity] = useState<Validity>("hour");
  return (
    <div className="upload-actions">
      <button type="button" className="upload-button" onClick={() => onCopy(validity)}>
        {texts.copyDownloadLink}
      </button>
      <label className="upload-validity">
        {texts.validity}{" "}
        <select
          value={validity}
          onChange={({ target }) => {
            setValidity(validities.find((name) => name === target.value) ?? "hour");
          }}
        >
          {validities.map((name) => (
            <option key={name} value={name}>
              {texts.validities[name]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** Browsers let pages copy only on secure origins, and only if the reader has not forbidden it. */
async function isCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function CopyYourself({ text }: { readonly text: string }) {
  return (
    <label className="upload-copy">
      {texts.copyYourself}
      <input readOnly value={text} onFocus={({ target }) => target.select()} />
    </label>
  );
}
