/** Links to the content of one upload, which need no token: who has one may read, until it ends. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { ApiError } from "../model/api-error.ts";

interface ContentLink {
  readonly bucketId: string;
  readonly uploadId: string;
  /** Since 1970. */
  readonly expiresAtSeconds: number;
  readonly isAttachment: boolean;
}

/** The stable address of an upload's content, below the service's own address. */
function contentPath({ bucketId, uploadId }: Pick<ContentLink, "bucketId" | "uploadId">) {
  return `/content/${bucketId}/${encodeURIComponent(uploadId)}`;
}

/** @param origin where content is served, with or without a slash at the end. */
export function signedUrl(origin: string, link: ContentLink, key: Uint8Array): string {
  return `${origin.replace(/\/$/, "")}${contentPath(link)}?${signedParameters(link, key)}`;
}

/** Whether a request carries a link and not a token. */
export function isSigned(parameters: URLSearchParams): boolean {
  return parameters.has("signature");
}

/**
 * Reads the link of a request for the content at a path. Throws `ApiError` LINK_INVALID if anything
 * of it was changed or the key was withdrawn, and LINK_EXPIRED.
 *
 * @param nowMs since 1970.
 */
export function readLink(
  upload: Pick<ContentLink, "bucketId" | "uploadId">,
  parameters: URLSearchParams,
  key: Uint8Array,
  nowMs: number,
): ContentLink {
  const expires = parameters.get("expires") ?? "";
  const link = {
    ...upload,
    expiresAtSeconds: Number(expires),
    isAttachment: parameters.has("attachment"),
  };
  // All parameters are compared, not only the signature: none may be added, repeated or moved.
  // Other percent-encodings of the link lead to the same content, so they are accepted.
  const expected = Buffer.from(signedParameters(link, key));
  const given = Buffer.from(parameters.toString());
  const isGenuine =
    /^\d{1,12}$/.test(expires) &&
    given.length === expected.length &&
    timingSafeEqual(given, expected);
  if (!isGenuine) {
    const message = "the link was changed or withdrawn; need one as CreateContentLink returned it";
    throw new ApiError("LINK_INVALID", message);
  }
  if (nowMs >= link.expiresAtSeconds * 1000) {
    throw new ApiError("LINK_EXPIRED", "the link has expired; ask its sender for a new one");
  }
  return link;
}

function signedParameters(link: ContentLink, key: Uint8Array): string {
  const parameters = new URLSearchParams({ expires: `${link.expiresAtSeconds}` });
  if (link.isAttachment) parameters.set("attachment", "1");
  parameters.set("signature", signatureOf(link, key));
  return parameters.toString();
}

function signatureOf(link: ContentLink, key: Uint8Array): string {
  const { bucketId, uploadId, expiresAtSeconds, isAttachment } = link;
  const signed = JSON.stringify([bucketId, uploadId, expiresAtSeconds, isAttachment]);
  return createHmac("sha256", key).update(signed).digest("base64url");
}
