import type { JsonObject } from "@bufbuild/protobuf";
import { folderColumnCount, hasFolder, writeFolder } from "../answers/folder-json.ts";
import { UploadJson } from "../answers/upload-json.ts";
import { JsonOutput } from "../json/json-output.ts";
import { BinaryRow } from "../postgres/binary-row.ts";
import type { StreamRows } from "../postgres/statements.ts";
import type { TreePlan } from "./plan.ts";
import { treeParameters, treeStatement } from "./statement.ts";
import { UploadOrder } from "./upload-order.ts";
import type { TreeFolder } from "./walk.ts";

/**
 * The content of a folder or an upload: a JSON object in UTF-8. Empty when rows are only counted,
 * or the folder is below the depth limit.
 */
export type RowContent = Buffer;

/** The fields of a folder that a caller may see if it only leads to the caller's locations. */
export function ancestorFields(content: RowContent): JsonObject {
  const { folderId, path, parentPath } = JSON.parse(content.toString());
  return { folderId, path, parentPath };
}

/** Receives rows. Their content is valid until the call returns. */
interface TreeRowSink {
  folder(folder: TreeFolder<RowContent>): void;
  upload(upload: RowContent): void;
}

interface ReadOptions {
  readonly plan: TreePlan;
  readonly includeDocuments: boolean;
  /** Of the service: addresses of content begin with it. */
  readonly baseUrl: string | undefined;
}

/**
 * Reads the rows of `treeStatement` as they arrive, without holding them, and returns their number.
 *
 * @param afterChunk runs after the rows of each chunk. The next is not read before it settles.
 */
export async function readTreeRows(
  stream: StreamRows,
  { plan, includeDocuments, baseUrl }: ReadOptions,
  rows: TreeRowSink,
  afterChunk: () => Promise<void>,
): Promise<number> {
  const firstColumn = firstFolderColumn + folderColumnCount;
  const uploads = new UploadJson({ baseUrl, bucketId: plan.bucketId, firstColumn });
  const order = new UploadOrder({
    columns: { position: columnIndex.position, ...uploads.orderColumns },
    write: (row, output) => uploads.write(row, output),
    pass: (upload) => rows.upload(upload),
  });
  const row = new BinaryRow();
  const output = new JsonOutput();
  let count = 0;
  const onRow = (bytes: Buffer, start: number) => {
    row.read(bytes, start);
    count += 1;
    const key = row.text(firstFolderColumn);
    // Only the rows of folders have a key.
    if (key === undefined) {
      if (includeDocuments) order.upload(row);
      else rows.upload(nothing);
      return;
    }
    order.folder(row);
    output.clear();
    const isRead = includeDocuments && hasFolder(row, firstFolderColumn);
    if (isRead) writeFolder(row, output, firstFolderColumn);
    rows.folder(folderOf(row, key, output.view(0, output.length)));
  };
  await stream(treeStatement(plan, includeDocuments), treeParameters(plan), { onRow, afterChunk });
  order.passHeld();
  return count;
}

/** The statement's columns. Those of folders follow, the key first, then those of uploads. */
const columnIndex = {
  position: 0,
  isAncestorOnly: 1,
  pathMatches: 2,
  hasMatchingUpload: 3,
  uploadCount: 4,
  sizeBytes: 5,
  subtreeUploadCount: 6,
  subtreeSizeBytes: 7,
} as const;

const firstFolderColumn = Object.keys(columnIndex).length;

function folderOf(row: BinaryRow, key: Buffer, content: RowContent): TreeFolder<RowContent> {
  return {
    key,
    content,
    isAncestorOnly: row.isTrue(columnIndex.isAncestorOnly),
    pathMatches: row.isTrue(columnIndex.pathMatches),
    hasMatchingUpload: row.isTrue(columnIndex.hasMatchingUpload),
    ownTotals: {
      uploadCount: row.integer(columnIndex.uploadCount),
      sizeBytes: row.integer(columnIndex.sizeBytes),
    },
    subtreeTotals: row.isNull(columnIndex.subtreeUploadCount)
      ? undefined
      : {
          uploadCount: row.integer(columnIndex.subtreeUploadCount),
          sizeBytes: row.integer(columnIndex.subtreeSizeBytes),
        },
  };
}

const nothing = Buffer.alloc(0);
