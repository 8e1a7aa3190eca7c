/** Reads objects of S3 stores for callers who do not reach the store. */
import type { Readable } from "node:stream";
import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import type { ByteRange } from "./byte-range.ts";
import { contentChanged } from "./find-content.ts";
import { type IndexedObject, requireIndexedObject } from "./indexed-object.ts";
import { refusalOf } from "./store-refusals.ts";
import type { NamedObject } from "./store-url.ts";

interface WantedBytes {
  readonly named: NamedObject;
  readonly indexed: IndexedObject;
  readonly range: ByteRange;
}

/** Throws `ApiError` CONTENT_CHANGED and CONTENT_UNAVAILABLE, also while the bytes are read. */
export async function openBytes(
  client: S3Client,
  { named, indexed, range: { first, last } }: WantedBytes,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const sizeBytes = last - first + 1;
  // No range names the bytes of an empty object.
  const isWhole = sizeBytes === indexed.sizeBytes;
  const command = new GetObjectCommand({
    ...named,
    ...(!isWhole && { Range: `bytes=${first}-${last}` }),
  });
  const refuse = (error: unknown): never => {
    signal.throwIfAborted();
    throw refusalOf(error);
  };
  const found = await client.send(command, { abortSignal: signal }).catch(refuse);
  const body = found.Body as Readable;
  try {
    // It may have been replaced since it was asked for.
    requireIndexedObject({ ...found, ContentLength: undefined }, indexed);
    if (!isWhole && found.ContentRange === undefined) {
      throw refusalOf(new Error("the store does not answer with the range"));
    }
  } catch (error) {
    body.destroy();
    throw error;
  }
  return exactly(body, sizeBytes, refuse);
}

async function* exactly(
  body: Readable,
  sizeBytes: number,
  refuse: (error: unknown) => never,
): AsyncGenerator<Uint8Array> {
  let left = sizeBytes;
  const pieces: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await pieces.next().catch(refuse);
      if (done) break;
      left -= value.length;
      if (left < 0) break;
      yield value;
    }
  } finally {
    body.destroy();
  }
  if (left !== 0) throw contentChanged(new Error("the store has sent another number of bytes"));
}
