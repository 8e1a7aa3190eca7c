/** Where a bucket is, and how the command line names it and what is in it. */
import { InvalidArgumentError } from "commander";

export interface StoreLocation {
  readonly bucket: string;
  /** Of an S3-compatible store; undefined: Amazon's for the region. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Whether the bucket is in the path of requests, and not in the host name. */
  readonly pathStyle?: boolean | undefined;
  /** Of the AWS configuration files; undefined: the default chain finds credentials. */
  readonly profile?: string | undefined;
}

/** `s3://BUCKET/KEY`, where the key may be empty. */
interface S3Address {
  readonly bucket: string;
  readonly key: string;
}

function parseS3Address(text: string): S3Address | undefined {
  const [, bucket, key = ""] = /^s3:\/\/([^/]+)(?:\/(.*))?$/s.exec(text) ?? [];
  return bucket === undefined ? undefined : { bucket, key };
}

/** Commander names what it got. */
function wrongAddress(need: string): InvalidArgumentError {
  return new InvalidArgumentError(`Need ${need}.`);
}

/** Parses the address of all objects of a bucket, or of those in one folder of it. */
export function parseS3Folder(text: string): { readonly bucket: string; readonly prefix: string } {
  const address = parseS3Address(text);
  if (address === undefined) throw wrongAddress("s3://BUCKET or s3://BUCKET/PREFIX");
  const { bucket, key } = address;
  return { bucket, prefix: key === "" || key.endsWith("/") ? key : `${key}/` };
}

/** Parses the address of the manifest of an Inventory report. */
export function parseManifestAddress(text: string): S3Address {
  const address = parseS3Address(text);
  if (address?.key.endsWith("manifest.json")) return address;
  throw wrongAddress("s3://BUCKET/…/manifest.json");
}
