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
  const order = includeDocuments && plan.includeUploads ? new UploadOrder() : undefined;
  const row = new BinaryRow();
  const output = new JsonOutput();
  const written = (write: () => void) => {
    output.clear();
    write();
    return output.view(0, output.length);
  };
  let count = 0;
  const onRow = (bytes: Buffer) => {
    row.read(bytes);
    count += 1;
    const key = row.text(firstFolderColumn);
    // Only the rows of folders have a key.
    if (key === undefined) {
      order?.upload(uploads.keyOf(row));
      rows.upload(includeDocuments ? written(() => uploads.write(row, output)) : nothing);
      return;
    }
    order?.folder(key);
    const isRead = includeDocuments && hasFolder(row, firstFolderColumn);
    const content = isRead ? written(() => writeFolder(row, output, firstFolderColumn)) : nothing;
    rows.folder(folderOf(row, key, content));
  };
  await stream(treeStatement(plan, includeDocuments), treeParameters(plan), { onRow, afterChunk });
  return count;
}

/** The statement's columns. Those of folders follow, the key first, then those of uploads. */
const columnIndex = {
  isAncestorOnly: 0,
  pathMatches: 1,
  hasMatchingUpload: 2,
  uploadCount: 3,
  sizeBytes: 4,
  subtreeUploadCount: 5,
  subtreeSizeBytes: 6,
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
