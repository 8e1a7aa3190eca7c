import type { JsonObject } from "@bufbuild/protobuf";
import { BinaryRow } from "../postgres/binary-row.ts";
import type { StreamRows } from "../postgres/statements.ts";
import { type TreePlan, treeStatement } from "./tree-statement.ts";
import type { TreeFolder } from "./tree-walk.ts";

/** The content of a row: JSON in UTF-8. */
export interface RowContent {
  /** An object. Empty when documents are not read, or the folder is below the depth limit. */
  readonly document: Buffer;
  /** Further members of the object, each after a comma: the integrations. */
  readonly members: Buffer | undefined;
}

/** A copy of the content, which is valid after the call that received it. */
export function keepContent({ document, members }: RowContent): RowContent {
  return { document: Buffer.from(document), members: members && Buffer.from(members) };
}

/** The members that a caller sees of a folder that only leads to what it may see. */
export function bareFolder(document: Buffer): JsonObject {
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
    takeRow(row, completeUrls, rows);
    count += 1;
  };
  await stream(treeStatement(plan, includeDocuments), onRow, afterChunk);
  return count;
}

/** The positions of the statement's columns. */
const places = {
  key: 0,
  bare: 1,
  pathMatches: 2,
  holdsMatch: 3,
  document: 4,
  members: 5,
  uploadCount: 6,
  sizeBytes: 7,
  subtreeUploadCount: 8,
  subtreeSizeBytes: 9,
} as const;

function takeRow(
  row: BinaryRow,
  completeUrls: (document: Buffer) => Buffer,
  rows: TreeRowSink,
): void {
  const key = row.text(places.key);
  const content = {
    document: row.text(places.document) ?? nothing,
    members: row.text(places.members),
  };
  if (key === undefined) {
    rows.upload({ ...content, document: completeUrls(content.document) });
    return;
  }
  rows.folder({
    key,
    content,
    bare: row.isTrue(places.bare),
    pathMatches: row.isTrue(places.pathMatches),
    holdsMatch: row.isTrue(places.holdsMatch),
    own: {
      uploadCount: row.integer(places.uploadCount),
      sizeBytes: row.integer(places.sizeBytes),
    },
    subtree:
      row.text(places.subtreeUploadCount) === undefined
        ? undefined
        : {
            uploadCount: row.integer(places.subtreeUploadCount),
            sizeBytes: row.integer(places.subtreeSizeBytes),
          },
  });
}

const nothing = Buffer.alloc(0);
