import type {
  ListFolderTreeRequest,
  ListFolderTreeRequestSchema,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { type FolderName, findFolder } from "../access/find-folder.ts";
import { type OpenBucket, openBucket } from "../access/open-bucket.ts";
import { readBucketRef, readFolderRef } from "../access/read-references.ts";
import { standing } from "../access/visibility.ts";
import type { Call, Handler } from "../http/handler.ts";
import { ApiError, invalidField } from "../model/api-error.ts";
import { subtreeRange } from "../model/key-range.ts";
import type { Database, Run } from "../postgres/database.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import { readTextFilter } from "./read-text-filter.ts";
import { TreeJson } from "./tree-json.ts";
import { requireExactTotals, requireTreeSize } from "./tree-limits.ts";
import { TreeMessage } from "./tree-message.ts";
import { planTree } from "./tree-plan.ts";
import { keepContent, type RowContent, readTreeRows } from "./tree-rows.ts";
import type { TreeFilters } from "./tree-statement.ts";
import { type TreeOptions, type TreeSink, TreeWalk } from "./tree-walk.ts";
import type { Yielding } from "./yielding.ts";

/**
 * `BucketFoldersService.ListFolderTree`. JSON is sent while the rows come from the database; a
 * message is made in memory.
 */
export function listFolderTreeHandler(
  database: Database,
  yielding: Yielding,
  { treeNodesMax }: { treeNodesMax: number },
): Handler<typeof ListFolderTreeRequestSchema> {
  async function showTree(
    request: ListFolderTreeRequest,
    { caller, signal }: Call,
    sink: TreeSink<RowContent>,
    afterPiece: () => Promise<void>,
  ): Promise<void> {
    const bucketName = readBucketRef(request.bucketRef);
    const folderName = readFolderRef(request.folder);
    const filters = readFilters(request);
    const { includeUploads, includeRollups: includeTotals } = request;
    const options = treeOptions(filters);

    await database.read({ signal, snapshot: true }, async (run, copy) => {
      const bucket = await openBucket(run, caller, bucketName);
      const subtree = await openSubtree(run, bucket, folderName);
      const query = { ...bucket, subtree, filters, includeUploads, includeTotals };
      const plan = await planTree(run, query);
      await requireTreeSize({ run, copy }, plan, options, treeNodesMax);
      if (includeTotals) await requireExactTotals(run, plan);

      const walk = new TreeWalk(options, sink, keepContent);
      await readTreeRows(copy, { plan, includeDocuments: true }, walk, afterPiece);
      walk.end();
    });
  }

  return async (request, call) => ({
    async writeJson(write) {
      const chunks = new ChunkWriter(write);
      const yieldToShort = yielding.longAnswer();
      await showTree(request, call, new TreeJson(chunks, request.includeRollups), async () => {
        await yieldToShort();
        await chunks.sendFull();
      });
      await chunks.sendAll();
    },
    async encodeBinary() {
      const tree = new TreeMessage(request.includeRollups);
      await showTree(request, call, tree, yielding.longAnswer());
      return tree.finish();
    },
  });
}

function treeOptions({ path, upload, onlyMatches, depthMax }: TreeFilters): TreeOptions {
  const hasPathFilter = path !== undefined;
  return { hasPathFilter, hasUploadFilter: upload !== undefined, onlyMatches, depthMax };
}

function readFilters(request: ListFolderTreeRequest): TreeFilters {
  if (request.maxDepth < 0) {
    throw invalidField("maxDepth", `is ${request.maxDepth}; need 0 for all levels, or more`);
  }
  return {
    path: readTextFilter("pathFilter", request.pathFilter),
    upload: readTextFilter("uploadFilter", request.uploadFilter),
    onlyMatches: request.onlyMatches,
    depthMax: request.maxDepth,
  };
}

// A folder that the caller may not know of is answered like one that does not exist.
async function openSubtree(run: Run, { bucketId, view }: OpenBucket, name: FolderName) {
  const key = await findFolder(run, bucketId, name);
  if (key === undefined || standing(view, key) === "outside") {
    throw new ApiError("FOLDER_NOT_FOUND", "no such folder; need one that the token may see");
  }
  return subtreeRange(key);
}
