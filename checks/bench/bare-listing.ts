/**
 * A program: the least that a first listing of a bucket could do. It asks for one page after the
 * other by the library that sources use, and only counts what they contain. Its time includes that
 * of loading the library, which a run also has to load.
 */
import { enableCompileCache } from "node:module";

const [endpoint = "", bucket = ""] = process.argv.slice(2);

// As the commands do.
enableCompileCache();
const { ListObjectsV2Command, S3Client } = await import("@aws-sdk/client-s3");
const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
let count = 0;
for (let token: string | undefined; ; ) {
  const answer = await client.send(
    new ListObjectsV2Command({ Bucket: bucket, EncodingType: "url", ContinuationToken: token }),
  );
  count += answer.Contents?.length ?? 0;
  token = answer.NextContinuationToken;
  if (token === undefined) break;
}
process.stdout.write(`${count}\n`);
