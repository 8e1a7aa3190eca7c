import type { ListFolderTreeRequestSchema } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import type { CompletenessReader } from "../access/bucket-completeness.ts";
import { type OpenBucket, openBucket } from "../access/open-bucket.ts";
import type { FolderName } from "../access/request-fields.ts";
import { folderVisibility } from "../access/visibility.ts";
import { type Call, type Handler, reservedBytes } from "../calls/handler.ts";
import type { CooperativeScheduler } from "../fairness/cooperative-scheduler.ts";
import type { DatabaseForCaller } from "../fairness/fair-pool.ts";
import { ApiError } from "../model/api-error.ts";
import { type TreeKey, treeKey } from "../model/tree-key.ts";
import { subtreeRange } from "../model/tree-key-range.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { ChunkWriter, TreeJson } from "./json.ts";
import { requireTreeSize } from "./limits.ts";
import { TreeMessage } from "./message.ts";
import { applyPlannerSettings, planTree } from "./plan.ts";
import { readTreeRequest, type TreeRequest } from "./request.ts";
import { type RowContent, readTreeRows } from "./rows.ts";
import { TreeWalk } from "./walk.ts";

interface TreeOptions {
  readonly treeNodesMax: number;
  readonly baseUrl: string;
  readonly completeness: CompletenessReader;
}

/** `BucketFoldersService.ListFolderTree`. The answer is encoded while its rows are read. */
export function listFolderTreeHandler(
  databaseFor: DatabaseForCaller,
  scheduler: CooperativeScheduler,
  { treeNodesMax, baseUrl, completeness }: TreeOptions,
): Handler<typeof ListFolderTreeRequestSchema> {
  async function readTree(
    request: TreeRequest,
    { caller, signal, record }: Call,
    sink: TreeJson | TreeMessage,
    afterChunk: () => Promise<void>,
  ): Promise<void> {
    const { bucketName, folderName, ...wanted } = request;
    await databaseFor(caller).read({ signal, snapshot: true }, async (statements) => {
      const { run, stream, readColumn } = statements;
      const bucket = await openBucket(run, caller, bucketName);
      record.bucketId = bucket.bucketId;
      sink.completeness = await completeness.read(bucket, readColumn);
      const subtree = await openSubtree(run, bucket, folderName);
      const plan = await planTree(run, { ...bucket, subtree, ...wanted });
      await applyPlannerSettings(run, plan);
      await requireTreeSize({ run, stream }, { plan, treeNodesMax, afterChunk });

      const walk = new TreeWalk<RowContent>(wanted.filters, sink, Buffer.from);
      const reading = { plan, includeDocuments: true, baseUrl };
      record.rows = await readTreeRows(stream, reading, walk, afterChunk);
      walk.end();
    });
  }

  return async (message, call) => {
    const request = readTreeRequest(message);
    const yieldToShortCalls = scheduler.createYield();
    return {
      async writeJson(write) {
        const chunks = new ChunkWriter(write);
        const json = new TreeJson(chunks, request.includeRollups);
        // While the tree is counted, the writer is empty, so this sends nothing.
        const afterChunk = async () => {
          await yieldToShortCalls();
          await chunks.sendFull();
        };
        await readTree(request, call, json, afterChunk);
        await chunks.sendAll();
      },
      async encodeBinary() {
        const tree = new TreeMessage(request.includeRollups);
        await readTree(request, call, tree, async () => {
          call.resizeAnswer(Math.max(reservedBytes, tree.bytes));
          await yieldToShortCalls();
        });
        return await tree.finish(yieldToShortCalls);
      },
    };
  };
}

// A folder that the caller may not know of is answered like one that does not exist.
async function openSubtree(
  run: RunQuery,
  { bucketNumber, visibility }: OpenBucket,
  name: FolderName,
) {
  const key = await findFolder(run, bucketNumber, name);
  if (key === undefined || folderVisibility(visibility, key) === "outside") {
    throw new ApiError("FOLDER_NOT_FOUND", "no such folder; need one that the token may see");
  }
  return subtreeRange(key);
}

/** Returns the key of the folder; undefined if the bucket has no such folder. */
async function findFolder(
  run: RunQuery,
  bucketNumber: number,
  name: FolderName,
): Promise<TreeKey | undefined> {
  const [isNamed, values] =
    "folderId" in name
      ? ["folder_id = :folderId", name]
      : ["tree_key = :treeKey", { treeKey: treeKey(name.path) }];
  const rows = await run<{ tree_key: TreeKey }>(
    `select tree_key from uploads.folders where bucket_number = :bucketNumber and ${isNamed}`,
    { bucketNumber, ...values },
  );
  return rows[0]?.tree_key;
}
