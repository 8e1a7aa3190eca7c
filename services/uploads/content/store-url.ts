/** Addresses of objects in S3 stores, for exactly the version that the index knows. */
import { GetObjectCommand, HeadObjectCommand, S3ServiceException } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { ApiError } from "../model/api-error.ts";
import type { Key } from "../sources/keys.ts";
import { openStore, type Store } from "../sources/s3/store.ts";
import type { S3Location } from "../sources/source.ts";
import { contentChanged } from "./find-content.ts";
import { type IndexedObject, requireIndexedObject, requireRestored } from "./indexed-object.ts";

/** Long enough to follow a redirect; a download that has begun is not cut off. */
const expiresInSeconds = 300;
/** A caller waits: the store is asked twice at most. */
const storeLimits = { attemptTimeoutMs: 5000, attemptsMax: 2 };
/** One client for each place. They hold connections. */
const storesMax = 100;
/**
 * A client that was opened more recently is kept after a refusal. The refusal may concern a single
 * object, which anyone may request again and again. Renewed credentials are used after this time.
 */
const storeAgeMinMs = 30_000;

interface StoredObject extends IndexedObject {
  readonly location: S3Location;
  readonly key: Key;
}

interface OpenedStore extends Store {
  readonly openedAtMs: number;
}

export type SignUrl = (
  object: StoredObject,
  answer: {
    readonly method: "GET" | "HEAD";
    readonly contentType: string;
    readonly contentDisposition: string;
  },
  signal: AbortSignal,
) => Promise<string>;

/**
 * Returns a function that makes a pre-signed address, after it has checked that the object is still
 * the one in the index. In a bucket without versions it may change right afterwards. The function
 * throws `ApiError` CONTENT_ARCHIVED, CONTENT_CHANGED, CONTENT_NOT_HELD and CONTENT_UNAVAILABLE.
 */
export function createUrlSigner(nowMs = () => performance.now()): SignUrl {
  const stores = new Map<string, OpenedStore>();
  const storeOf = (name: string, location: S3Location): OpenedStore => {
    let store = stores.get(name);
    if (store === undefined) {
      store = { ...openStore(location, storeLimits), openedAtMs: nowMs() };
      const [oldest] = stores.keys();
      if (stores.size >= storesMax && oldest !== undefined) stores.delete(oldest);
      stores.set(name, store);
    }
    return store;
  };
  const discard = (name: string, refused: OpenedStore): void => {
    const isOld = nowMs() - refused.openedAtMs >= storeAgeMinMs;
    // Another request may have replaced the client while this one waited for the refusal.
    if (isOld && stores.get(name) === refused) stores.delete(name);
  };
  return async ({ location, key, ...indexed }, answer, signal) => {
    if (typeof key !== "string") throw keyNotNameable();
    const name = JSON.stringify(location);
    const store = storeOf(name, location);
    const { client } = store;
    const named = { Bucket: location.bucket, Key: key, VersionId: indexed.versionId };
    // The store is not asked for an ETag: its own may be another one, or it may not know If-Match.
    const asked = client.send(new HeadObjectCommand(named), { abortSignal: signal });
    const found = await asked.catch((error) => {
      signal.throwIfAborted();
      // A client keeps its credentials. Those of a new one may have been renewed.
      if (refusedStatuses.has(statusOf(error))) discard(name, store);
      throw refusalOf(error);
    });
    requireIndexedObject(found, indexed);
    requireRestored(found);
    const shown = {
      ...named,
      ResponseContentType: answer.contentType,
      ResponseContentDisposition: answer.contentDisposition,
    };
    const command =
      answer.method === "HEAD" ? new HeadObjectCommand(shown) : new GetObjectCommand(shown);
    const url = await getSignedUrl(client, command, { expiresIn: expiresInSeconds });
    return keepDotSegments(url, key);
  };
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

const changedStatuses: ReadonlySet<number | undefined> = new Set([404, 405]);
/** The answers to credentials that are wrong or have expired, and to some single objects. */
const refusedStatuses: ReadonlySet<number | undefined> = new Set([400, 401, 403]);

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/** There are no credentials, or their provider failed. The store was not asked. */
const noCredentialsNames: readonly unknown[] = ["CredentialsProviderError", "TokenProviderError"];

function refusalOf(cause: unknown): ApiError {
  if (changedStatuses.has(statusOf(cause))) return contentChanged(cause);
  return new ApiError("CONTENT_UNAVAILABLE", unavailableText(cause), { cause });
}

function keyNotNameable(): ApiError {
  const message =
    "the key of the object is not UTF-8, so no request can name it; rename the object";
  return new ApiError("CONTENT_NOT_HELD", message);
}

function unavailableText(cause: unknown): string {
  if (cause instanceof Error && noCredentialsNames.includes(cause.name)) {
    return "the service has no credentials for the store that holds the content; ask its operator";
  }
  return refusedStatuses.has(statusOf(cause))
    ? "the store that holds the content refuses it to the service; ask its operator"
    : "the store that holds the content does not answer as it should; try again";
}
