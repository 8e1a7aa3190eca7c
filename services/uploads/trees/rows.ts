import type { JsonObject } from "@bufbuild/protobuf";
import { BinaryRow } from "../postgres/binary-row.ts";
import type { StreamRows } from "../postgres/statements.ts";
import type { TreePlan } from "./plan.ts";
import { treeParameters, treeStatement } from "./statement.ts";
import type { TreeFolder } from "./walk.ts";

/** The content of a row: JSON in UTF-8. */
export interface RowContent {
  /** An object. Empty when documents are not read, or the folder is below the depth limit. */
  readonly document: Buffer;
  /** Further members of the object, each after a comma: the integrations. */
  readonly members: Buffer | undefined;
}

/** A copy of the content, which is valid after the call that received it. */
export function copyContent({ document, members }: RowContent): RowContent {
  return { document: Buffer.from(document), members: members && Buffer.from(members) };
}

/** The fields of a folder that a caller may see if it only leads to the caller's locations. */
export function ancestorFields(document: Buffer): JsonObject {
  const { folderId, path, parentPath } = JSON.parse(document.toString());
  return { folderId, path, parentPath };
}

/** Receives rows. Their content is valid until the call returns. */
export interface TreeRowSink {
  folder(folder: TreeFolder<RowContent>): void;
  upload(upload: RowContent): void;
}

interface ReadOptions {
  readonly plan: TreePlan;
  readonly includeDocuments: boolean;
  /** Completes the addresses of content in the document of an upload. Default: leaves them. */
  readonly completeUrls?: (document: Buffer) => Buffer;
}

const unchanged = (document: Buffer) => document;

/**
 * Reads the rows of `treeStatement` as they arrive, without holding them, and returns their number.
 *
 * @param afterChunk runs after the rows of each chunk. The next is not read before it settles.
 */
export async function readTreeRows(
  stream: StreamRows,
  { plan, includeDocuments, completeUrls = unchanged }: ReadOptions,
  rows: TreeRowSink,
  afterChunk: () => Promise<void>,
): Promise<number> {
  const row = new BinaryRow();
  let count = 0;
  const onRow = (bytes: Buffer) => {
    row.read(bytes);
    passRow(row, completeUrls, rows);
    count += 1;
  };
  await stream(treeStatement(plan, includeDocuments), treeParameters(plan), { onRow, afterChunk });
  return count;
}

/** The statement's columns. */
const columnIndex = {
  key: 0,
  isAncestorOnly: 1,
  pathMatches: 2,
  hasMatchingUpload: 3,
  document: 4,
  members: 5,
  uploadCount: 6,
  sizeBytes: 7,
  subtreeUploadCount: 8,
  subtreeSizeBytes: 9,
} as const;

function passRow(
  row: BinaryRow,
  completeUrls: (document: Buffer) => Buffer,
  rows: TreeRowSink,
): void {
  const key = row.text(columnIndex.key);
  const content = {
    document: row.text(columnIndex.document) ?? nothing,
    members: row.text(columnIndex.members),
  };
  // Only the rows of folders have a key.
  if (key === undefined) {
    rows.upload({ ...content, document: completeUrls(content.document) });
    return;
  }
  rows.folder({
    key,
    content,
    isAncestorOnly: row.isTrue(columnIndex.isAncestorOnly),
    pathMatches: row.isTrue(columnIndex.pathMatches),
    hasMatchingUpload: row.isTrue(columnIndex.hasMatchingUpload),
    ownTotals: {
      uploadCount: row.integer(columnIndex.uploadCount),
      sizeBytes: row.integer(columnIndex.sizeBytes),
    },
    subtreeTotals:
      row.text(columnIndex.subtreeUploadCount) === undefined
        ? undefined
        : {
            uploadCount: row.integer(columnIndex.subtreeUploadCount),
            sizeBytes: row.integer(columnIndex.subtreeSizeBytes),
          },
  });
}

const nothing = Buffer.alloc(0);
