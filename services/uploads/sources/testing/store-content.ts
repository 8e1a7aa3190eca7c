/** For tests: writes to an S3 server, and lists it by another program than ours. */
import { existsSync } from "node:fs";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import { type CephServer, startProcess } from "@stowage/process/testing";
import { requestEach } from "../s3/store.ts";

export interface BucketContent {
  readonly bucket: string;
  put(key: string, content?: string | Buffer, options?: { tags?: string }): Promise<void>;
  putAll(keys: Iterable<string>): Promise<void>;
  remove(key: string): Promise<void>;
  /** Puts the objects with content, and removes those without. */
  changeAll(contents: Iterable<readonly [key: string, content: string | undefined]>): Promise<void>;
  /** The size of each object, by key. */
  sizes(): Promise<Map<string, number>>;
  keepVersions(): Promise<void>;
}

const parallelRequests = 16;

export async function createBucket(server: CephServer, bucket: string): Promise<BucketContent> {
  const client = new S3Client(server.client);
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const put: BucketContent["put"] = async (Key, content = "x", { tags } = {}) => {
    const Body = Buffer.from(content as string);
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body, Tagging: tags }));
  };
  const remove = async (Key: string) => {
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
  };
  return {
    bucket,
    put,
    async putAll(keys) {
      await requestEach([...keys], parallelRequests, (key) => put(key));
    },
    remove,
    async changeAll(contents) {
      await requestEach([...contents], parallelRequests, ([key, content]) =>
        content === undefined ? remove(key) : put(key, content),
      );
    },
    async sizes() {
      const sizes = new Map<string, number>();
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket })) {
        for (const { Key = "", Size = 0 } of Contents) sizes.set(Key, Size);
      }
      return sizes;
    },
    async keepVersions() {
      const VersioningConfiguration = { Status: "Enabled" } as const;
      await client.send(
        new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }),
      );
    },
  };
}

/** Why keys cannot be listed by another program, as a test's `skip`; false if they can. */
export const s3cmdIsMissing = existsSync("/usr/bin/s3cmd") ? false : "needs Debian's s3cmd";

/** The keys that `s3cmd` lists, in the order of their bytes. It cannot list control characters. */
export async function keysByS3cmd(server: CephServer, bucket: string): Promise<string[]> {
  const host = new URL(server.endpoint).host;
  const { accessKeyId, secretAccessKey } = server.client.credentials;
  const { exitCode, stdout, stderr } = await startProcess("/usr/bin/s3cmd", [
    "--config=/dev/null",
    "--no-ssl",
    `--host=${host}`,
    `--host-bucket=${host}`,
    `--access_key=${accessKeyId}`,
    `--secret_key=${secretAccessKey}`,
    ...["ls", "--recursive", `s3://${bucket}`],
  ]).ended;
  if (exitCode !== 0) throw new Error(`s3cmd ended with ${exitCode}: ${stderr.slice(-500)}`);
  const lines = stdout.trimEnd().split("\n");
  return lines
    .map((line) => line.slice(line.indexOf("s3://") + `s3://${bucket}/`.length))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
