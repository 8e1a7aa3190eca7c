/** Asks a store for single objects, and reads them, apart from its listings. */
import { HeadObjectCommand } from "@aws-sdk/client-s3";
import { compareKeys, type Key } from "../keys.ts";
import type { ListedObject, Presence } from "../lister.ts";
import { readPage } from "./read-page.ts";
import { request, requestEach, type Store } from "./store.ts";
import { isForbidden, isNotFound, StoreError } from "./store-error.ts";

interface FindOptions {
  readonly store: Store;
  readonly versions?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Requests at once. */
const parallelRequests = 16;
/** After so many requests without an answer, the rest is not asked for. */
const unansweredMax = 16;

/** Returns what the store says about each key, in their order. */
export async function findObjects(
  keys: readonly Key[],
  options: FindOptions,
): Promise<readonly Presence[]> {
  let unanswered = 0;
  return await requestEach(keys, parallelRequests, async (key) => {
    if (unanswered >= unansweredMax) return "unknown";
    const presence = await findObject(key, options);
    unanswered = presence === "unknown" ? unanswered + 1 : 0;
    return presence;
  });
}

async function findObject(key: Key, options: FindOptions): Promise<Presence> {
  const { store, signal } = options;
  // A request is text. The nearest valid text would name another object.
  if (typeof key !== "string") return "unlisted";
  const command = new HeadObjectCommand({ Bucket: store.location.bucket, Key: key });
  try {
    const { ContentLength } = await request(store, signal, (client, how) =>
      client.send(command, how),
    );
    return presenceOf(key, ContentLength);
  } catch (error) {
    if (isNotFound(error)) return "absent";
    if (!(error instanceof StoreError)) throw error;
    return isForbidden(error) ? await findListed(key, options) : "unknown";
  }
}

/** An empty object whose key ends with `/` is a folder: an upload that was there is gone. */
function presenceOf(key: string, sizeBytes: number | undefined): Presence {
  return sizeBytes === 0 && key.endsWith("/") ? "absent" : "present";
}

/** For credentials that may only list. */
async function findListed(key: string, options: FindOptions): Promise<Presence> {
  try {
    const object = await readObject(key, options);
    return object === undefined ? "unlisted" : presenceOf(key, object.sizeBytes);
  } catch (error) {
    if (error instanceof StoreError) return "unknown";
    throw error;
  }
}

/**
 * Returns the objects that there are at these keys. Each is listed: an answer to HEAD has the time
 * in whole seconds, so the next run would take the object for changed. Throws `StoreError`.
 */
export async function readObjects(
  keys: readonly Key[],
  options: FindOptions,
): Promise<readonly ListedObject[]> {
  const objects: ListedObject[] = [];
  const single: string[] = [];
  const texts = keys.filter((key) => typeof key === "string");
  const folders = Map.groupBy(texts, (key) => key.slice(0, key.lastIndexOf("/") + 1));
  for (const [folder, inFolder] of folders) {
    single.push(...(await readTogether(folder, inFolder, options, objects)));
  }
  const read = await requestEach(single, parallelRequests, (key) => readObject(key, options));
  return [...objects, ...read.filter((object) => object !== undefined)];
}

/** Of more keys in one folder, pages of it are listed, for as long as each has this many. */
const togetherMin = 50;

/** Adds the objects that pages of the folder have. Returns the keys that are to be read singly. */
async function readTogether(
  folder: string,
  keys: readonly string[],
  { store, versions = false, signal }: FindOptions,
  objects: ListedObject[],
): Promise<readonly string[]> {
  let left = keys.toSorted(compareKeys);
  while (left.length > togetherMin) {
    const options = { store, versions, signal, prefix: folder, pageKeys: 1000 };
    // Without its last character, a key comes before itself, and not after many others.
    const page = await readPage(options, {
      after: left[0]?.replace(/.$/su, "") || undefined,
    }).catch((error) => {
      // Some stores do not list from a given key on.
      if (error instanceof StoreError) return undefined;
      throw error;
    });
    const { lastKey } = page ?? {};
    const isRead = (key: string) => lastKey !== undefined && compareKeys(key, lastKey) <= 0;
    const read = new Set<Key>(left.filter(isRead));
    objects.push(...(page?.objects.filter(({ key }) => read.has(key)) ?? []));
    left = left.slice(read.size);
    if (read.size < togetherMin) break;
  }
  return left;
}

/** Of all keys that begin with a key, it is the first. */
async function readObject(
  key: string,
  { store, versions = false, signal }: FindOptions,
): Promise<ListedObject | undefined> {
  const options = { store, versions, signal, prefix: key, pageKeys: 1 };
  const { objects } = await readPage(options, { after: undefined, keysMax: 1 });
  const [first] = objects;
  return first?.key === key ? first : undefined;
}
