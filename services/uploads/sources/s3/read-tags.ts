/** Reads the tags of objects, which a listing does not have: a request for each object. */
import { GetObjectTaggingCommand } from "@aws-sdk/client-s3";
import { tagBytesMax } from "../../model/limits.ts";
import type { LeftOut, ListedObject } from "../lister.ts";
import { requestEach, requestXml, type Store } from "./store.ts";
import { isMissingObject, isNotFound } from "./store-error.ts";

/** Requests at once for the objects of one page; pages of several ranges are read at once. */
const parallelRequests = 8;

/** The objects that still exist, with their tags as `key=value`, but for tags that are too long. */
export async function withTags(
  store: Store,
  objects: readonly ListedObject[],
  signal: AbortSignal,
): Promise<{ objects: readonly ListedObject[]; leftOut: readonly LeftOut[] }> {
  const tagged: ListedObject[] = [];
  const leftOut: LeftOut[] = [];
  const read = await requestEach(objects, parallelRequests, async (object) => ({
    object,
    found: await readTags(store, object, signal),
  }));
  for (const { object, found } of read) {
    if (found === "gone") continue;
    const { tags, missing: reason } = found;
    tagged.push(tags === undefined ? object : { ...object, tags });
    if (reason === undefined) continue;
    leftOut.push({ key: object.key, reason, isUnreadable: false, isPart: true });
  }
  return { objects: tagged, leftOut };
}

interface FoundTags extends Pick<ListedObject, "tags"> {
  /** Why tags are missing. */
  readonly missing?: string;
}

async function readTags(
  store: Store,
  { key, s3 }: ListedObject,
  signal: AbortSignal,
): Promise<FoundTags | "gone"> {
  // A request is text. The nearest valid text would name another object, which looks deleted.
  if (typeof key !== "string") {
    return { missing: "its key is not UTF-8, so its tags cannot be read; the object is there" };
  }
  const command = new GetObjectTaggingCommand({
    Bucket: store.location.bucket,
    Key: key,
    VersionId: s3?.versionId,
  });
  try {
    const answer = await requestXml(store, signal, command, ["Tagging"]);
    const all = answer
      .childrenNamed("TagSet")
      .flatMap((set) => set.childrenNamed("Tag"))
      .map((tag) => `${tag.textOf("Key")}=${tag.textOf("Value")}`);
    const tags = all.filter((tag) => Buffer.byteLength(tag) <= tagBytesMax);
    if (tags.length === all.length) return { tags };
    return { tags, missing: `a tag is over ${tagBytesMax} bytes; the object is there without it` };
  } catch (error) {
    if (isMissingObject(error)) return "gone";
    // The store does not say whether the object is gone.
    if (!isNotFound(error)) throw error;
    return { missing: "the store answers 404 when asked for its tags; the object is there" };
  }
}
