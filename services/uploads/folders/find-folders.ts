/** `FoldersService.FindFolders`: the folders whose paths have words. */
import type { FindFoldersRequestSchema } from "@stowage/api/stowage/v1/folders_service_pb";
import { type OpenBucket, openBucket } from "../access/open-bucket.ts";
import { readBucketRef, readPageSize } from "../access/request-fields.ts";
import { folderColumns, writeFolder } from "../answers/folder-json.ts";
import { visibleTotals } from "../buckets/visible-totals.ts";
import type { Handler } from "../calls/handler.ts";
import type { DatabaseForCaller } from "../fairness/fair-pool.ts";
import { decodeCursor, encodeCursor } from "../model/cursor.ts";
import { type TreeKey, treeKey } from "../model/tree-key.ts";
import { intersectRanges, subtreeRange } from "../model/tree-key-range.ts";
import type { QueryWord } from "../model/upload-query.ts";
import { bindParameters } from "../postgres/named-parameters.ts";
import type { ReadColumn, Statements } from "../postgres/statements.ts";
import { readWordFolders } from "../search/word-folders.ts";
import { type FolderSource, foldersStatement } from "./folder-conditions.ts";
import { type FolderQuery, readFolderQuery } from "./folder-query.ts";

interface FindFoldersOptions {
  readonly databaseFor: DatabaseForCaller;
  readonly cursorKey: Uint8Array;
}

export function findFoldersHandler({
  databaseFor,
  cursorKey,
}: FindFoldersOptions): Handler<typeof FindFoldersRequestSchema> {
  return async (request, { caller, signal, record }) => {
    const bucketName = readBucketRef(request.bucketRef);
    const pageSize = readPageSize(request.pageSize);
    const query = readFolderQuery(request.query);
    return databaseFor(caller).read({ signal, snapshot: true }, async (statements) => {
      const bucket = await openBucket(statements.run, caller, bucketName);
      record.bucketId = bucket.bucketId;
      const canonical = JSON.stringify(["folders", bucket.bucketId, query]);
      const after =
        request.cursor === ""
          ? undefined
          : treeKey(decodeCursor(request.cursor, canonical, cursorKey).sortKey);
      const found = await readFolders(statements, bucket, query, { after, limit: pageSize + 1 });
      const page = found.slice(0, pageSize);
      record.rows = page.length;
      const rollups = await readRollups(statements, bucket, page, caller.clientId);
      const folders = page.map(({ json }, at) => `{"folder":${json},"rollup":${rollups[at]}}`);
      const last = found.length > pageSize ? page.at(-1) : undefined;
      const next = last && encodeCursor({ sortKey: last.path, uploadId: "" }, canonical, cursorKey);
      const json = Buffer.from(`{"folders":[${folders.join()}],"nextCursor":"${next ?? ""}"}`);
      return { json, release() {} };
    });
  };
}

interface FoundFolder {
  readonly path: string;
  /** As answers have it. */
  readonly json: string;
}

interface Page {
  readonly after: TreeKey | undefined;
  readonly limit: number;
}

async function readFolders(
  { readColumn }: Statements,
  { bucketNumber, visibility }: OpenBucket,
  query: FolderQuery,
  page: Page,
): Promise<FoundFolder[]> {
  const from = await folderSource(readColumn, bucketNumber, query.words);
  const ranges =
    query.folders === undefined
      ? visibility.ranges
      : query.folders.flatMap((range) => intersectRanges(visibility.ranges, range));
  const { text, values } = foldersStatement(folderColumns({ withIntegrations: true }), {
    ...{ bucketNumber, ranges, from, words: query.words },
    ...page,
  });
  const column = await readColumn(bindParameters(text, values), {
    addRow: (all, row) => all.addWritten((output) => writeFolder(row, output)),
  });
  return Array.from({ length: column.length }, (_, at) => {
    const json = String(column.at(at));
    return { path: (JSON.parse(json) as { path: string }).path, json };
  });
}

async function folderSource(
  readColumn: ReadColumn,
  bucketNumber: number,
  words: readonly QueryWord[],
): Promise<FolderSource> {
  const needed = words.filter(({ isExcluded }) => !isExcluded);
  const texts = needed.filter(({ isPattern }) => !isPattern);
  const folders = await readWordFolders(readColumn, bucketNumber, texts, false);
  const known = folders.flatMap(({ positions, uploads }) =>
    positions === undefined ? [] : [{ positions, uploads }],
  );
  if (known.length > 0 && known.length === needed.length) return "names";
  const [fewest] = known.toSorted((a, b) => a.uploads - b.uploads);
  return fewest ?? "all";
}

/** The `Rollup` of each folder as answers have it. */
async function readRollups(
  { run }: Statements,
  { bucketNumber, visibility }: OpenBucket,
  folders: readonly FoundFolder[],
  clientId: string,
): Promise<string[]> {
  const parts = folders.flatMap(({ path }) => {
    const key = treeKey(path);
    return [{ from: key, to: `${key}\u0001` }, subtreeRange(key)].map((range) => ({
      bucketNumber,
      ranges: intersectRanges(visibility.ranges, range),
    }));
  });
  const totals = await visibleTotals(run, parts, clientId);
  return folders.map((_, at) => {
    const [inside, subtree] = totals.slice(2 * at);
    return (
      `{"uploadCount":${inside?.uploadCount},"sizeBytes":${inside?.sizeBytes},` +
      `"subtreeUploadCount":${subtree?.uploadCount},"subtreeSizeBytes":${subtree?.sizeBytes}}`
    );
  });
}
