import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import {
  bucketLine,
  createUploadsDatabase,
  importLines,
  withConnection,
} from "../testing/import.ts";
import { resolveDeletions } from "./deletions.ts";
import { createStagingTables } from "./staging-tables.ts";

const bucketId = "00000000-0000-4000-8000-000000000001";

let database: TestDatabase;
before(async () => {
  database = await createUploadsDatabase();
});
after(() => database.drop());

it("an upload is staged once, however often its folders are deleted", async () => {
  const uploads = ["1", "2"].map((uploadId) => ({
    upload: { uploadId, path: "/a/b", filename: uploadId, sizeBytes: 1 },
  }));
  await importLines(database.databaseUrl, [bucketLine(bucketId), ...uploads]);
  const paths = ["/a", "/a/b", "/a", "/a/b/1", "/nothing"];
  const staged = await withConnection(database.databaseUrl, async (client) => {
    await createStagingTables(client);
    await client.query(
      `insert into staged_path_deletions (line, bucket_number, path)
       select line, (select bucket_number from uploads.buckets where bucket_id = $1), path
       from unnest($2::text[]) with ordinality as paths (path, line)`,
      [bucketId, paths],
    );
    await resolveDeletions(client);
    const { rows } = await client.query(
      `select upload_id as id, array_agg(line::int order by line) as lines
       from staged_deletions group by upload_id order by upload_id`,
    );
    const { rows: emptied } = await client.query("select path from emptied_folders order by path");
    return { rows, emptied: emptied.map(({ path }) => path) };
  });
  // Line 4 names the upload itself.
  assert.deepEqual(staged, {
    rows: [
      { id: "1", lines: [3, 4] },
      { id: "2", lines: [3] },
    ],
    emptied: ["/a", "/a/b"],
  });
});
