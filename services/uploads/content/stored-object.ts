/** Objects in S3 stores, for exactly the version that the index knows. */
import { HeadObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import type { Key } from "../sources/keys.ts";
import { openStore } from "../sources/s3/store.ts";
import type { S3Location } from "../sources/source.ts";
import { type IndexedObject, requireIndexedObject, requireRestored } from "./indexed-object.ts";
import type { SentContent } from "./send-content.ts";
import { isRefused, keyNotNameable, refusalOf } from "./store-refusals.ts";
import { type SignedAnswer, signUrl } from "./store-url.ts";
import { openBytes } from "./stored-bytes.ts";

/** A caller waits: the store is asked twice at most. */
const storeLimits = { attemptTimeoutMs: 5000, attemptsMax: 2 };
/** While a caller reads slowly, nothing is read from the store. Calls have their own limits. */
const streamLimits = { attemptTimeoutMs: 600_000, attemptsMax: 2 };
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

/** An object that was there just now, and was the one in the index. */
interface FoundObject extends Pick<SentContent, "open"> {
  /** The header `content-encoding`, if the store keeps the content compressed. */
  readonly coding: Readonly<Record<string, string>>;
  /** A pre-signed address. Without versions, the object may change before it is read. */
  signUrl(answer: SignedAnswer): Promise<string>;
}

export type FindObject = (object: StoredObject, signal: AbortSignal) => Promise<FoundObject>;

interface OpenedStore {
  readonly client: S3Client;
  /** Signs addresses, or streams content. */
  readonly givingClient: S3Client;
  readonly openedAtMs: number;
}

/**
 * Returns a function that asks a store for an object. The function throws `ApiError`
 * CONTENT_ARCHIVED, CONTENT_CHANGED, CONTENT_NOT_HELD and CONTENT_UNAVAILABLE.
 */
export function createObjectFinder(nowMs = () => performance.now()): FindObject {
  const stores = new Map<string, OpenedStore>();
  const storeOf = (name: string, location: S3Location): OpenedStore => {
    let store = stores.get(name);
    if (store === undefined) {
      const { client } = openStore(location, storeLimits);
      store = { client, givingClient: givingClient(location) ?? client, openedAtMs: nowMs() };
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
  return async ({ location, key, ...indexed }, signal) => {
    if (typeof key !== "string") throw keyNotNameable();
    const name = JSON.stringify(location);
    const store = storeOf(name, location);
    const named = { Bucket: location.bucket, Key: key, VersionId: indexed.versionId };
    // The store is not asked for an ETag: its own may be another one, or it may not know If-Match.
    const asked = store.client.send(new HeadObjectCommand(named), { abortSignal: signal });
    const found = await asked.catch((error) => {
      signal.throwIfAborted();
      // A client keeps its credentials. Those of a new one may have been renewed.
      if (isRefused(error)) discard(name, store);
      throw refusalOf(error);
    });
    requireIndexedObject(found, indexed);
    requireRestored(found);
    return {
      coding: found.ContentEncoding ? { "content-encoding": found.ContentEncoding } : {},
      signUrl: (answer) => signUrl(store.givingClient, named, answer),
      open: (range, ended) => openBytes(store.givingClient, { named, indexed, range }, ended),
    };
  };
}

/** Undefined: the client that asks for objects. */
function givingClient({ content, publicEndpoint, ...location }: S3Location): S3Client | undefined {
  if (content === "stream") return openStore(location, streamLimits).client;
  if (publicEndpoint === undefined) return undefined;
  return openStore({ ...location, endpoint: publicEndpoint }, storeLimits).client;
}
