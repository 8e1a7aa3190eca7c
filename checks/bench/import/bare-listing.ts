/**
 * A program: the least that a listing of a bucket could do. It asks for all pages as a source does,
 * by the same library and as many ranges at once, and only counts what they contain.
 *
 * It knows keys that divide the bucket evenly, which a first run has to find. Its time includes
 * that of loading the library, which a run also has to load.
 */
import { enableCompileCache } from "node:module";
import { exit, stdout } from "node:process";

const [endpoint = "", bucket = "", ...boundaries] = process.argv.slice(2);

// As the commands do.
enableCompileCache();
const startMs = performance.now();
const { ListObjectsV2Command, S3Client } = await import("@aws-sdk/client-s3");
const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
const ranges = [undefined, ...boundaries].map((after, index) =>
  countRange(after, boundaries[index]),
);
const counts = await Promise.all(ranges);
const seconds = (performance.now() - startMs) / 1000;
const objects = counts.reduce((sum, count) => sum + count, 0);
stdout.write(`${JSON.stringify({ objects, seconds })}\n`, () => exit());

/** @param until inclusive. The keys are ASCII, so their text has the order of their bytes. */
async function countRange(after: string | undefined, until: string | undefined): Promise<number> {
  let count = 0;
  for (let token: string | undefined; ; ) {
    const answer = await client.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        EncodingType: "url",
        StartAfter: token === undefined ? after : undefined,
        ContinuationToken: token,
      }),
    );
    const keys = (answer.Contents ?? []).map(({ Key = "" }) => decodeURIComponent(Key));
    const inRange = until === undefined ? keys : keys.filter((key) => key <= until);
    count += inRange.length;
    token = answer.NextContinuationToken;
    if (token === undefined || inRange.length < keys.length) return count;
  }
}
