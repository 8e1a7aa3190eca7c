/**
 * Finds the files that were moved: gone at one key and new at another, with the same content as far
 * as a listing shows it. A moved upload gets what the other had of its own; its ID is new.
 */
import type pg from "pg";
import { hasOwnMembers, keepRows } from "../../import/merge/deleted-uploads.ts";
import { mergeStaged } from "../../import/merge/merge-staged.ts";
import { fillStagingTables } from "../../import/merge/stage-records.ts";
import { objectValues } from "../../import/records/column-values.ts";
import { columnList } from "../../postgres/copy-in.ts";
import { query } from "../../postgres/named-parameters.ts";
import type { Source } from "../source.ts";

/**
 * Finds the moves among `gone_uploads` and `added_uploads`: pairs of one that is gone and one that
 * is new, which nothing else resembles. A move proves that the first one is gone.
 *
 * @returns how many deletions without proof are proved by it.
 */
export async function findMoves(client: pg.ClientBase, source: Source): Promise<number> {
  const { bucketNumber } = source;
  const { rows } = await client.query<{ areAny: boolean }>(
    `select exists (select from added_uploads) and exists (select from gone_uploads) as "areAny"`,
  );
  if (!rows[0]?.areAny) return 0;
  await query(client, insertMoves(sameContent[source.location.kind]), { bucketNumber });
  const { rowCount } = await client.query(proveMoved);
  return rowCount ?? 0;
}

/** What two uploads have in common if they are the same file. Null: that cannot be known. */
const sameContent = {
  s3: (upload: string) =>
    `${upload}.size_bytes || ' ' || nullif(${upload}.intent_metadata #>> '{s3,etag}', '')`,
  directory: (upload: string) => `${upload}.size_bytes || ' ' || ${upload}.updated_at`,
} as const;

const insertMoves = (content: (upload: string) => string) => `
  with gone as (
    select u.upload_id, u.filename, ${content("u")} as content from gone_uploads g
    join uploads.uploads u on u.bucket_number = :bucketNumber and u.upload_id = g.upload_id),
  added as (
    select u.upload_id, u.filename, ${content("u")} as content from added_uploads a
    join uploads.uploads u on u.bucket_number = :bucketNumber and u.upload_id = a.upload_id),
  gone_once as (
    select *, count(*) over (partition by content) as alike,
      count(*) over (partition by content, filename) as alike_named
    from gone where content is not null),
  added_once as (
    select *, count(*) over (partition by content) as alike,
      count(*) over (partition by content, filename) as alike_named
    from added where content is not null)
  insert into moved_uploads
  select g.upload_id, a.upload_id from gone_once g join added_once a using (content)
  where g.alike = 1 and a.alike = 1
    or g.filename = a.filename and g.alike_named = 1 and a.alike_named = 1`;

const proveMoved = `
  update gone_uploads g set is_proved = true from moved_uploads m
  where g.upload_id = m.gone_id and not g.is_proved`;

/**
 * Gives moved uploads what the gone ones have of their own. Call it before these are deleted.
 *
 * @param requireHeld ends the transaction: throws if another process has the source.
 */
export async function moveOwnData(
  client: pg.ClientBase,
  source: Source,
  requireHeld: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query("select from moved_uploads limit 1");
  if (rows.length === 0) return;
  const { bucketId, bucketNumber, sourceId, mountPath, location } = source;
  const mountFolder = { kind: "folder path", bucketId, path: mountPath } as const;
  await fillStagingTables(client, [[mountFolder]]);
  await mergeStaged(client, {
    uploadColumns: "all",
    mayChangeBuckets: false,
    sourceId,
    async afterLocks() {
      await query(client, keepUnderNewId, { bucketNumber });
      await query(client, stageMoved[location.kind], { bucketNumber });
    },
    beforeCommit: requireHeld,
  });
}

// What came back to its place, and has its own data again, keeps it.
const keepUnderNewId = keepRows(
  "m.added_id",
  `moved_uploads m
    join uploads.uploads u on u.bucket_number = :bucketNumber and u.upload_id = m.gone_id
    join uploads.uploads a on a.bucket_number = :bucketNumber and a.upload_id = m.added_id
      and not ${hasOwnMembers("a")}`,
);

const storedColumns = Object.keys(objectValues).filter((column) => column !== "created_at");

const stageMovedWith = (createdAt: string) => `
  insert into staged_uploads (line, bucket_number, created_at, ${columnList(storedColumns)})
  select row_number() over (), a.bucket_number, ${createdAt}, ${columnList(storedColumns, "a")}
  from moved_uploads m
  join uploads.uploads a on a.bucket_number = :bucketNumber and a.upload_id = m.added_id
  join uploads.deleted_uploads d
    on d.bucket_number = :bucketNumber and d.upload_id = m.added_id`;

// A directory knows when a file was created.
const stageMoved = {
  s3: stageMovedWith("null::timestamptz"),
  directory: stageMovedWith("a.created_at"),
} as const;
