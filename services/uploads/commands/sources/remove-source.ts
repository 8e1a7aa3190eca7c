/** `sources remove`. */
import { inTransaction, printText } from "@stowage/process";
import { Command } from "commander";
import type pg from "pg";
import { withPool } from "../../command-line/open-database.ts";
import { maintainIndexes } from "../../import/merge/maintain-indexes.ts";
import { lockBucket } from "../../import/merge/merge-buckets.ts";
import { mergeStaged } from "../../import/merge/merge-staged.ts";
import { fillStagingTables } from "../../import/merge/stage-records.ts";
import { createStagingTables } from "../../import/merge/staging-tables.ts";
import { formatThings } from "../../model/format.ts";
import { query } from "../../postgres/named-parameters.ts";
import { endEarlierHolder, holdSource } from "../../sources/runs/hold-source.ts";
import { takeOverRuns } from "../../sources/runs/run.ts";
import type { Source } from "../../sources/source.ts";
import type { SourcesContext } from "./context.ts";
import { setPaused } from "./pause-source.ts";

export function removeCommand(context: SourcesContext): Command {
  return new Command("remove")
    .description("Removes a source, and its uploads and folders from the index.")
    .argument("<name>", "the source")
    .option("--keep-uploads", "leave the uploads and folders in the index, without content")
    .addHelpText("after", removeHelp)
    .action((name: string, { keepUploads }: { keepUploads?: true }) =>
      removeSource(context, name, keepUploads === true),
    );
}

const removeHelp = `
The place that the source mirrors is not touched. If the command is interrupted, the source stays,
paused: run the command again to go on.`;

async function removeSource(
  context: SourcesContext,
  name: string,
  keepsUploads: boolean,
): Promise<void> {
  const { signal } = context;
  const options = { ...context.settings(), waitsForLease: true, signal };
  await withPool(context, 2, (pool) =>
    holdSource(pool, name, options, async ({ client, source, holder, signal: ended }) => {
      await endEarlierHolder(client, source);
      // Otherwise `serve sync` would add the uploads again after an interruption.
      await setPaused(client, source, true);
      // So would a process that was suspended in a run and wakes up now.
      await takeOverRuns(client, source, holder);
      const count = await numberUploads(client, source);
      if (keepsUploads) await detachUploads(client, source, count, ended);
      else await removeUploads(client, source, count, ended);
      await deleteSource(client, source);
      const what = keepsUploads ? "its uploads stay" : `${formatThings(count, "upload")} removed`;
      const isLeftEmpty = !keepsUploads && (await isEmpty(client, source));
      const next = "its bucket has no uploads now, to remove it: stowage buckets remove";
      const hint = isLeftEmpty ? `; ${next} ${source.hostname}` : "";
      printText(`removed ${name}; ${what}${hint}\n`);
    }),
  );
}

/** Uploads in one transaction: other imports into the bucket wait for its end. */
const rowsAtOnce = 5000;

/** Numbers the uploads of the source, in `removed_uploads`. Returns how many there are. */
async function numberUploads(
  client: pg.ClientBase,
  { bucketNumber, sourceId }: Source,
): Promise<number> {
  await client.query(`
    create temporary table removed_uploads (
      number bigint primary key, upload_id text collate "C" not null)`);
  const { rowCount } = await query(
    client,
    `insert into removed_uploads
     select row_number() over (order by tree_position, upload_id), upload_id
     from uploads.uploads where ${isRowOfSource}`,
    { bucketNumber, sourceId },
  );
  await client.query("analyze removed_uploads");
  return rowCount ?? 0;
}

// An import may have moved an upload out of the source since the removal began.
const isInBatch = `u.bucket_number = :bucketNumber and u.source_id = :sourceId
  and u.upload_id = r.upload_id and r.number > :after and r.number <= :until`;

/**
 * Removes the uploads and folders of the source from the index. If it is interrupted, it can be
 * repeated.
 */
async function removeUploads(
  client: pg.ClientBase,
  source: Source,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  const { bucketId, bucketNumber, sourceId } = source;
  await createStagingTables(client);
  for (let after = 0; after <= count; after += rowsAtOnce) {
    signal.throwIfAborted();
    const mountFolder = { kind: "folder path", bucketId, path: source.mountPath } as const;
    await fillStagingTables(client, [[mountFolder]]);
    await mergeStaged(client, {
      uploadColumns: "of objects",
      mayChangeBuckets: false,
      sourceId,
      async afterLocks() {
        const until = after + rowsAtOnce;
        await query(
          client,
          `insert into staged_deletions (bucket_number, upload_id)
           select u.bucket_number, u.upload_id from removed_uploads r, uploads.uploads u
           where ${isInBatch}`,
          { bucketNumber, sourceId, after, until },
        );
        if (until > count) await query(client, emptyFolders, { bucketNumber, sourceId });
      },
    });
  }
  await maintainIndexes(client, [bucketId], count);
}

const isOfSource = "bucket_id = :bucketId and source_id = :sourceId";
const isRowOfSource = "bucket_number = :bucketNumber and source_id = :sourceId";

const emptyFolders = `
  insert into emptied_folders (bucket_number, path)
  select bucket_number, uploads.path_of(tree_key, path) from uploads.folders
  where ${isRowOfSource}`;

/** Leaves the uploads of the source in the index, without content. It can be repeated, too. */
async function detachUploads(
  client: pg.ClientBase,
  { bucketId, bucketNumber, sourceId }: Source,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  for (let after = 0; after < count; after += rowsAtOnce) {
    signal.throwIfAborted();
    await inTransaction(client, async () => {
      await query(client, lockBucket, { bucketId });
      await query(
        client,
        `update uploads.uploads u set source_id = null from removed_uploads r where ${isInBatch}`,
        { bucketNumber, sourceId, after, until: after + rowsAtOnce },
      );
    });
  }
}

/** Deletes the source with its runs. Uploads and folders that remain then belong to no source. */
async function deleteSource(
  client: pg.ClientBase,
  { bucketId, bucketNumber, sourceId }: Source,
): Promise<void> {
  const ids = { bucketId, bucketNumber, sourceId };
  await inTransaction(client, async () => {
    await query(client, lockBucket, ids);
    await query(client, `update uploads.uploads set source_id = null where ${isRowOfSource}`, ids);
    await query(client, `update uploads.folders set source_id = null where ${isRowOfSource}`, ids);
    await query(client, `delete from uploads.sources where ${isOfSource}`, ids);
  });
}

/** Whether the bucket has neither uploads nor sources. */
async function isEmpty(
  client: pg.ClientBase,
  { bucketId, bucketNumber }: Source,
): Promise<boolean> {
  const { rows } = await query<{ isEmpty: boolean }>(
    client,
    `select not exists (select from uploads.uploads where bucket_number = :bucketNumber)
       and not exists (select from uploads.sources where bucket_id = :bucketId) as "isEmpty"`,
    { bucketId, bucketNumber },
  );
  return rows[0]?.isEmpty === true;
}
