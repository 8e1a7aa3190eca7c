/** Reads the tags of objects, which a listing does not have: a request for each object. */
import { GetObjectTaggingCommand } from "@aws-sdk/client-s3";
import { tagBytesMax } from "../../model/limits.ts";
import type { LeftOut, ListedObject } from "../lister.ts";
import { requestEach, requestXml, type Store } from "./store.ts";
import { isMissingObject, refusalStatusOf } from "./store-error.ts";

/** Requests at once for the objects of one page; pages of several ranges are read at once. */
const parallelRequests = 8;
/** After so many refusals in a row, the other objects of the page are not asked for. */
const refusalsMax = 16;

/**
 * The objects that still exist, with their tags as `key=value`, but for tags that are too long. One
 * whose tags the store does not give has no tags here, so those in the index stay.
 */
export async function withTags(
  store: Store,
  objects: readonly ListedObject[],
  signal: AbortSignal,
): Promise<{ objects: readonly ListedObject[]; leftOut: readonly LeftOut[] }> {
  const tagged: ListedObject[] = [];
  const leftOut: LeftOut[] = [];
  let refusals = 0;
  const read = await requestEach(objects, parallelRequests, async (object) => {
    if (refusals >= refusalsMax) return { object, found: { missing: notAsked } };
    const found = await readTags(store, object, signal);
    if (found === "gone" || found.tags !== undefined) refusals = 0;
    else if (found.isRefused) refusals += 1;
    return { object, found };
  });
  for (const { object, found } of read) {
    if (found === "gone") continue;
    const { tags, missing: reason } = found;
    tagged.push(tags === undefined ? object : { ...object, tags });
    if (reason === undefined) continue;
    leftOut.push({ key: object.key, reason, isUnreadable: false, isPart: true });
  }
  return { objects: tagged, leftOut };
}

const notAsked = `its tags were not asked for: the store gave none of ${refusalsMax} objects`;

interface FoundTags extends Pick<ListedObject, "tags"> {
  /** Why tags are missing. */
  readonly missing?: string;
  readonly isRefused?: boolean;
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
    // Not even 404 says whether the object is gone.
    const status = refusalStatusOf(error);
    if (status === undefined) throw error;
    const missing = `the store answers ${status} when asked for its tags; it keeps those it had`;
    return { missing, isRefused: true };
  }
}
