/** A directory that a bucket of a deployment mirrors. */
import assert from "node:assert/strict";
import { withClient } from "@stowage/process/testing";
import { stowageOn } from "../../testing/programs.ts";

interface MirroredDirectory {
  readonly bucketId: string;
  /** By the path of the file below the directory. */
  readonly uploadIds: ReadonlyMap<string, string>;
}

/** Adds the directory as a source to a new bucket of the organisation `owner`, and runs it once. */
export async function mirrorDirectory(
  databaseUrl: string,
  directory: string,
  hostname: string,
): Promise<MirroredDirectory> {
  const place = ["--bucket", hostname, "--organisation", "owner"];
  const source = ["sources", "add", "dir", directory, "--name", "files", ...place, "--sync"];
  await stowageOn(databaseUrl)(source);
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<{ bucketId: string; name: string; uploadId: string }>(
      `select bucket_id as "bucketId", upload_id as "uploadId",
         ltrim(path || '/' || filename, '/') as name
       from uploads.uploads join uploads.buckets using (bucket_number) where hostname = $1`,
      [hostname],
    ),
  );
  const [first] = rows;
  assert.ok(first, "nothing was mirrored");
  const uploadIds = new Map(rows.map(({ name, uploadId }) => [name, uploadId]));
  return { bucketId: first.bucketId, uploadIds };
}
