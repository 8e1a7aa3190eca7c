import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { CephServer } from "@stowage/process/testing";

/** More do not make the server faster. */
const requestsAtOnce = 16;

/** Makes a bucket, unless it is there already, with these objects, by their keys. */
export async function fillBucket(
  server: CephServer,
  bucket: string,
  objects: ReadonlyMap<string, string | Buffer>,
  signal?: AbortSignal,
): Promise<void> {
  const client = new S3Client(server.client);
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const waiting = objects.entries();
  const putNext = async () => {
    for (const [Key, Body] of waiting) {
      const put = new PutObjectCommand({ Bucket: bucket, Key, Body });
      await client.send(put, { ...(signal && { abortSignal: signal }) });
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, putNext));
  client.destroy();
}
