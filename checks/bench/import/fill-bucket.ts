import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { CephServer } from "@stowage/process/testing";

/** More do not make the server faster. */
const requestsAtOnce = 16;

/** Makes a bucket with an object for each key. */
export async function fillBucket(
  { endpoint, accessKeyId, secretAccessKey }: CephServer,
  bucket: string,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const waiting = keys.values();
  const putNext = async () => {
    for (const Key of waiting) {
      const put = new PutObjectCommand({ Bucket: bucket, Key, Body: "x" });
      await client.send(put, { abortSignal: signal });
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, putNext));
  client.destroy();
}
