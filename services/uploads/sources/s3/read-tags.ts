/** Reads the tags of objects, which a listing does not have: a request for each object. */
import { GetObjectTaggingCommand } from "@aws-sdk/client-s3";
import { tagBytesMax } from "../../model/limits.ts";
import type { LeftOut, ListedObject } from "../lister.ts";
import { requestXml, type Store } from "./store.ts";
import { isMissingObject, isNotFound } from "./store-error.ts";

/** Requests at once for the objects of one page; pages of several ranges are read at once. */
const parallelRequests = 8;

/** The objects that still exist, with their tags as `key=value`, but for tags that are too long. */
export async function withTags(
  store: Store,
  objects: readonly ListedObject[],
  signal: AbortSignal,
): Promise<{ objects: readonly ListedObject[]; leftOut: readonly LeftOut[] }> {
  const tagged: (ListedObject | undefined)[] = [];
  const leftOut: LeftOut[] = [];
  const waiting = objects.entries();
  const readNext = async () => {
    for (const [index, object] of waiting) {
      const { key } = object;
      // A request is text. The nearest valid text would name another object, which looks deleted.
      if (typeof key !== "string") {
        tagged[index] = object;
        const reason = "its key is not UTF-8, so its tags cannot be read; the object is there";
        leftOut.push({ key, reason, isUnreadable: false, isPart: true });
        continue;
      }
      const tags = await readTags(store, { ...object, key }, signal);
      if (tags === "gone") continue;
      if (tags === "unanswered") {
        tagged[index] = object;
        const reason = "the store answers 404 when asked for its tags; the object is there";
        leftOut.push({ key, reason, isUnreadable: false, isPart: true });
        continue;
      }
      const held = tags.filter((tag) => Buffer.byteLength(tag) <= tagBytesMax);
      tagged[index] = { ...object, tags: held };
      if (held.length < tags.length) {
        const reason = `a tag is over ${tagBytesMax} bytes; the object is there without it`;
        leftOut.push({ key, reason, isUnreadable: false, isPart: true });
      }
    }
  };
  await Promise.all(Array.from({ length: parallelRequests }, readNext));
  return { objects: tagged.filter((object) => object !== undefined), leftOut };
}

/** `unanswered` if the store does not say whether the object is gone. */
async function readTags(
  store: Store,
  { key, s3 }: Pick<ListedObject, "s3"> & { readonly key: string },
  signal: AbortSignal,
): Promise<string[] | "gone" | "unanswered"> {
  const command = new GetObjectTaggingCommand({
    Bucket: store.location.bucket,
    Key: key,
    VersionId: s3?.versionId,
  });
  try {
    const answer = await requestXml(store, signal, command, ["Tagging"]);
    const tags = answer.childrenNamed("TagSet").flatMap((set) => set.childrenNamed("Tag"));
    return tags.map((tag) => `${tag.textOf("Key")}=${tag.textOf("Value")}`);
  } catch (error) {
    if (isMissingObject(error)) return "gone";
    if (isNotFound(error)) return "unanswered";
    throw error;
  }
}
