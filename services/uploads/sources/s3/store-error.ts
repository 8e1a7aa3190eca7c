/** Errors of S3 stores, with messages that say what to do. */
import type { StoreLocation } from "./store-location.ts";

/** The message says what is wrong and what to do. It contains nothing secret. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** Whether the store says that it does not have the object, or this version of it. */
export function isMissingObject(error: unknown): boolean {
  return /^(?:NoSuchKey|NoSuchVersion)$/.test(causeOf(error)?.name ?? "");
}

/**
 * Whether the answer is 404, for whatever reason but a missing bucket. A store or a proxy that does
 * not know this kind of request may answer so for objects that exist.
 */
export function isNotFound(error: unknown): boolean {
  const cause = causeOf(error);
  return cause?.$metadata?.httpStatusCode === 404 && cause.name !== "NoSuchBucket";
}

/** Whether the credentials may not make this request, or the store does not have its kind. */
export function isForbidden(error: unknown): boolean {
  const status = causeOf(error)?.$metadata?.httpStatusCode;
  return status === 403 || status === 405 || status === 501;
}

/**
 * The status with which the store refuses one request. Undefined if others would not fare better:
 * the bucket is missing, the store is too busy, or there is no answer.
 */
export function refusalStatusOf(error: unknown): number | undefined {
  const cause = causeOf(error);
  const status = cause?.$metadata?.httpStatusCode;
  const isOfAll = status === 429 || status === 503 || cause?.name === "NoSuchBucket";
  return status === undefined || status < 400 || isOfAll ? undefined : status;
}

function causeOf(error: unknown): SdkError | undefined {
  const cause = error instanceof StoreError ? error.cause : undefined;
  return cause instanceof Error ? cause : undefined;
}

interface SdkError extends Error {
  readonly code?: string;
  readonly region?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
}

export function storeErrorOf(error: unknown, location: StoreLocation): StoreError {
  if (error instanceof StoreError) return error;
  if (!(error instanceof Error)) return new StoreError(String(error));
  return new StoreError(explain(error, location), { cause: error });
}

function explain(error: SdkError, location: StoreLocation): string {
  const byName = explanations[error.name];
  if (byName !== undefined) return byName(location, error);
  const status = error.$metadata?.httpStatusCode;
  if (error.message === "Region is missing") return noRegion;
  if (error.code !== undefined && isNetworkCode(error.code))
    return unreachable(location, error.code);
  if (status === 301 || status === 307) return wrongRegion(location, error);
  if (status === 403) return mayNotRead(location);
  if (status === 404) return noBucket(location);
  if (status === 429 || status === 503) return tooManyRequests;
  if (status === 405 || status === 501) return notSupported(error);
  if (status !== undefined && status >= 500) {
    return `the store answers with errors (${status} ${error.name}): try again later`;
  }
  return `${error.name}: ${error.message}`;
}

type Explanation = (location: StoreLocation, error: SdkError) => string;

const noRegion = "no region is known: pass --region, or set AWS_REGION";

const expired = ({ profile }: StoreLocation) =>
  `the credentials have expired: renew them, for example with \`aws sso login${
    profile === undefined ? "" : ` --profile ${profile}`
  }\``;

const noBucket = ({ bucket, endpoint }: StoreLocation) =>
  `there is no bucket ${bucket} at ${endpoint ?? "Amazon S3"}: check the name, --endpoint and ` +
  "--path-style";

const mayNotRead = ({ bucket }: StoreLocation) =>
  `the credentials may not read the bucket ${bucket}: they need s3:ListBucket, with --versions ` +
  "s3:ListBucketVersions, with --tags s3:GetObjectTagging, with --inventory s3:GetObject";

const notSupported = ({ name }: SdkError) =>
  `the store does not have this kind of request (${name}): leave out --versions and --tags`;

const tooManyRequests =
  "the store refuses requests because there are too many (SlowDown): try again later";

const wrongClock = () =>
  "the clock of this machine and that of the store differ by more than 15 minutes: set the clock";

function wrongRegion({ bucket }: StoreLocation, error: SdkError): string {
  const right = error.$response?.headers?.["x-amz-bucket-region"] ?? error.region;
  const message = /expecting '([\w-]+)'/.exec(error.message)?.[1];
  const region = right ?? message;
  return region === undefined
    ? `the bucket ${bucket} is in another region: pass --region with its region`
    : `the bucket ${bucket} is in the region ${region}: pass --region ${region}`;
}

function noCredentials({ profile }: StoreLocation, error: SdkError): string {
  if (/expired|aws sso login/i.test(error.message)) return expired({ bucket: "", profile });
  return profile === undefined
    ? "no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or --profile"
    : `the profile ${profile} gives no credentials: check it in the AWS configuration files`;
}

const explanations: Readonly<Record<string, Explanation>> = {
  ExpiredToken: expired,
  ExpiredTokenException: expired,
  TokenRefreshRequired: expired,
  RequestExpired: expired,
  InvalidToken: expired,
  CredentialsProviderError: noCredentials,
  TokenProviderError: expired,
  InvalidAccessKeyId: () =>
    "the store does not know the access key: check AWS_ACCESS_KEY_ID or --profile",
  SignatureDoesNotMatch: () =>
    "the secret key does not belong to the access key, or a proxy changes requests: check " +
    "AWS_SECRET_ACCESS_KEY or --profile",
  NoSuchBucket: noBucket,
  NoSuchKey: ({ bucket }) => `the bucket ${bucket} does not have this object: check its key`,
  AccessDenied: mayNotRead,
  AllAccessDisabled: mayNotRead,
  PermanentRedirect: wrongRegion,
  AuthorizationHeaderMalformed: wrongRegion,
  IllegalLocationConstraintException: wrongRegion,
  RequestTimeTooSkewed: wrongClock,
  RequestInTheFuture: wrongClock,
  SlowDown: () => tooManyRequests,
  TimeoutError: (_location, { message }) =>
    `the store does not answer completely or in time (${message}): try again later`,
};

function isNetworkCode(code: string): boolean {
  return /^(?:E[A-Z_]+|CERT_.*|DEPTH_ZERO.*|SELF_SIGNED.*|UNABLE_TO.*)$/.test(code);
}

function unreachable({ endpoint, pathStyle }: StoreLocation, code: string): string {
  if (code.startsWith("ERR_PROXY")) {
    return `the proxy does not reach the store (${code}): check HTTPS_PROXY and NO_PROXY`;
  }
  const advice =
    endpoint === undefined || pathStyle
      ? "check --endpoint"
      : "check --endpoint, or add --path-style";
  return `the store at ${endpoint ?? "Amazon S3"} cannot be reached (${code}): ${advice}`;
}
