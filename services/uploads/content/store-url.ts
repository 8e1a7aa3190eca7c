/** Addresses of objects in S3 stores. */
import { GetObjectCommand, HeadObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";

/** Long enough to follow a redirect; a download that has begun is not cut off. */
const expiresInSeconds = 300;

/** How requests to a store name an object. */
export interface NamedObject {
  readonly Bucket: string;
  readonly Key: string;
  readonly VersionId: string | undefined;
}

/** What the store is to answer at a pre-signed address. */
export interface SignedAnswer {
  readonly method: "GET" | "HEAD";
  readonly contentType: string;
  readonly contentDisposition: string;
}

export async function signUrl(
  client: S3Client,
  named: NamedObject,
  { method, contentType, contentDisposition }: SignedAnswer,
): Promise<string> {
  const shown = {
    ...named,
    ResponseContentType: contentType,
    ResponseContentDisposition: contentDisposition,
  };
  const command = method === "HEAD" ? new HeadObjectCommand(shown) : new GetObjectCommand(shown);
  return keepDotSegments(
    await getSignedUrl(client, command, { expiresIn: expiresInSeconds }),
    named.Key,
  );
}

/**
 * Browsers resolve the `.` and `..` of an address, however they are encoded, and the signature is
 * for another address then. Encoded slashes make one segment of such a key. The signature stays
 * the same: S3 computes it for the decoded key. A key that is only `.` or `..` has no slash, and so
 * no such address.
 */
function keepDotSegments(url: string, key: string): string {
  const keySegments = key.split("/");
  if (!keySegments.some((segment) => segment === "." || segment === "..")) return url;
  const pathLength = url.indexOf("?");
  const segments = url.slice(0, pathLength).split("/");
  const ofKey = segments.splice(-keySegments.length);
  return [...segments, ofKey.join("%2F")].join("/") + url.slice(pathLength);
}
