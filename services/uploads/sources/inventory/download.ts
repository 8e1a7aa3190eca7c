/** Reads the objects that an Inventory report consists of. */
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { readBody, request, type Store } from "../s3/store.ts";
import { isNotFound, StoreError, storeErrorOf } from "../s3/store-error.ts";
import { manifestBytesMax, type ReportFile } from "./manifest.ts";

/** Reads the manifest or its checksum. @throws StoreError */
export async function readSmallObject(
  store: Store,
  key: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const address = `s3://${store.location.bucket}/${key}`;
  try {
    return await readBody(await openObject(store, key, signal), manifestBytesMax, address);
  } catch (error) {
    signal.throwIfAborted();
    if (!isNotFound(error)) throw storeErrorOf(error, store.location);
    throw new StoreError(`there is no ${address}: check the address of the manifest`);
  }
}

/** An answer that breaks off has another checksum, and is asked for again. */
const downloadsMax = 3;

/** Downloads a file of the report to `target`, and checks that it is the one of the manifest. */
export async function download(
  store: Store,
  file: ReportFile,
  target: FileHandle,
  signal: AbortSignal,
): Promise<void> {
  const { key, sizeBytes, md5 } = file;
  for (let attempt = 1; ; attempt += 1) {
    const found = await downloadOnce(store, file, target, signal).catch((error) => {
      signal.throwIfAborted();
      if (error instanceof StoreError || attempt === downloadsMax) throw error;
      return undefined;
    });
    if (found?.md5 === md5 && found.sizeBytes === sizeBytes) return;
    if (attempt === downloadsMax) {
      throw new StoreError(
        `the Inventory report's file ${key} does not have the checksum of the manifest: ` +
          "wait for the next report",
      );
    }
  }
}

async function downloadOnce(
  store: Store,
  { key, sizeBytes: sizeBytesMax }: ReportFile,
  target: FileHandle,
  signal: AbortSignal,
) {
  const hash = createHash("md5");
  let sizeBytes = 0;
  const body = await openObject(store, key, signal);
  const write = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      if (sizeBytes + chunk.length > sizeBytesMax)
        throw new Error(`it is over the ${sizeBytesMax} bytes of the manifest`);
      hash.update(chunk);
      const { bytesWritten } = await target.write(chunk, 0, chunk.length, sizeBytes);
      if (bytesWritten < chunk.length) throw new Error("the disk is full");
      sizeBytes += chunk.length;
    }
  };
  await pipeline(body, write, { signal });
  return { sizeBytes, md5: hash.digest("hex") };
}

async function openObject(store: Store, key: string, signal: AbortSignal): Promise<Readable> {
  const command = new GetObjectCommand({ Bucket: store.location.bucket, Key: key });
  const answer = await request(store, signal, (client, how) => client.send(command, how));
  return answer.Body as Readable;
}
