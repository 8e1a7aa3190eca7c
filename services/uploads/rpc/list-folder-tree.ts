import type {
  ListFolderTreeRequest,
  ListFolderTreeRequestSchema,
  ListFolderTreeResponseSchema,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { buildTree } from "../domain/folder-tree.ts";
import { subtreeRange } from "../domain/key-range.ts";
import type { NamePattern } from "../domain/name-pattern.ts";
import { invalidField, Refusal } from "../domain/refusal.ts";
import { standing } from "../domain/view.ts";
import type { Database, Run } from "../store/database.ts";
import { type FolderName, findFolder } from "../store/find-folder.ts";
import { treeFolders } from "../store/tree-folders.ts";
import { treeTotals } from "../store/tree-totals.ts";
import { treeUploads } from "../store/tree-uploads.ts";
import { type OpenBucket, openBucket } from "./open-bucket.ts";
import { readBucketRef, readFolderRef } from "./read-references.ts";
import { readTextFilter } from "./read-text-filter.ts";
import { treeMessage } from "./tree-message.ts";
import { requireTreeSize, treeSize } from "./tree-size.ts";
import type { Call, UnaryHandler } from "./unary-handler.ts";

/** `BucketFoldersService.ListFolderTree`. */
export function listFolderTreeHandler(
  database: Database,
  limits: { treeNodesMax: number },
): UnaryHandler<typeof ListFolderTreeRequestSchema, typeof ListFolderTreeResponseSchema> {
  const message = async (request: ListFolderTreeRequest, { caller, signal }: Call) => {
    const bucketName = readBucketRef(request.bucketRef);
    const folderName = readFolderRef(request.folder);
    const filters = readFilters(request);
    const { includeUploads, includeRollups } = request;

    return database.read({ signal, snapshot: true }, async (run) => {
      const bucket = await openBucket(run, caller, bucketName);
      const scope = { ...bucket, subtree: await openSubtree(run, bucket, folderName) };

      const folders = await treeFolders(
        run,
        scope,
        filters,
        foldersToRead(filters, bucket, limits),
      );
      const totals = includeRollups ? await treeTotals(run, scope) : new Map();
      const top = buildTree(folders, totals, {
        hasPathFilter: filters.path !== undefined,
        hasUploadFilter: filters.upload !== undefined,
        onlyMatches: request.onlyMatches,
        depthMax: filters.depthMax,
      });

      const size = treeSize(top);
      requireTreeSize(size.nodes, limits.treeNodesMax);
      const uploadsMax = limits.treeNodesMax - size.nodes;
      const uploads = includeUploads
        ? await treeUploads(
            run,
            { ...bucket, folders: size.listing },
            filters.upload,
            uploadsMax + 1,
          )
        : new Map();
      requireTreeSize(size.nodes + countOf(uploads), limits.treeNodesMax);
      return treeMessage(top, uploads, includeRollups);
    });
  };
  return { message };
}

interface TreeFilters {
  readonly path: NamePattern | undefined;
  readonly upload: NamePattern | undefined;
  readonly depthMax: number;
}

function readFilters(request: ListFolderTreeRequest): TreeFilters {
  if (request.maxDepth < 0) {
    throw invalidField("maxDepth", `is ${request.maxDepth}; need 0 for all levels, or more`);
  }
  return {
    path: readTextFilter("pathFilter", request.pathFilter),
    upload: readTextFilter("uploadFilter", request.uploadFilter),
    depthMax: request.maxDepth,
  };
}

// A tree that nothing makes smaller is too large once it has more folders than the limit, besides
// the top one, which does not count: no need to read the rest.
function foldersToRead(
  { path, upload, depthMax }: TreeFilters,
  { view }: OpenBucket,
  { treeNodesMax }: { treeNodesMax: number },
): number | undefined {
  const isWhole = path === undefined && upload === undefined && depthMax === 0;
  return isWhole && view.ancestors.size === 0 ? treeNodesMax + 2 : undefined;
}

// A folder that the caller may not know of is answered like one that does not exist.
async function openSubtree(run: Run, { bucketId, view }: OpenBucket, name: FolderName) {
  const key = await findFolder(run, bucketId, name);
  if (key === undefined || standing(view, key) === "outside") {
    throw new Refusal("FOLDER_NOT_FOUND", "no such folder; need one that the token may see");
  }
  return subtreeRange(key);
}

function countOf(uploads: ReadonlyMap<string, readonly unknown[]>): number {
  return uploads.values().reduce((count, inFolder) => count + inFolder.length, 0);
}
