/** The operations of the service, each with what it needs. */

import { reachableUrl, type SettingsOf } from "@stowage/process";
import { CompletenessReader } from "./access/bucket-completeness.ts";
import { createBucketReader } from "./access/bucket-reader.ts";
import { listBucketsHandler } from "./buckets/list-buckets.ts";
import { BufferPool } from "./calls/buffer-pool.ts";
import { createContentLinkHandler } from "./content/create-content-link.ts";
import type { FairPools } from "./database-pools.ts";
import { CooperativeScheduler } from "./fairness/cooperative-scheduler.ts";
import { findFoldersHandler } from "./folders/find-folders.ts";
import { getUploadHandler } from "./lists/get-upload.ts";
import { listUploadsHandler } from "./lists/list-uploads.ts";
import type { settingsTable } from "./settings.ts";
import { listFolderTreeHandler } from "./trees/list-folder-tree.ts";

/** Keys that all servers share. */
export interface ServerKeys {
  readonly cursorKey: Uint8Array;
  readonly linkKey: Uint8Array;
}

export function createHandlers(
  { lists, longScans, trees }: FairPools,
  settings: SettingsOf<typeof settingsTable>,
  { cursorKey, linkKey }: ServerKeys,
) {
  const { longScanTimeoutMs: longTimeoutMs, treeNodesMax } = settings;
  const { baseUrl = reachableUrl(settings.host, settings.port) } = settings;
  const { contentOrigin = baseUrl } = settings;
  const readBucket = createBucketReader({ short: lists, long: longScans, longTimeoutMs });
  const buffers = new BufferPool();
  const scheduler = new CooperativeScheduler();
  const completeness = new CompletenessReader();
  const listUploads = listUploadsHandler({
    ...{ readBucket, cursorKey, buffers, baseUrl, completeness },
  });
  return {
    listUploads: scheduler.trackShort(listUploads),
    listFolderTree: listFolderTreeHandler(trees, scheduler, {
      ...{ treeNodesMax, baseUrl, completeness },
    }),
    getUpload: getUploadHandler({ databaseFor: lists, baseUrl }),
    findFolders: findFoldersHandler({ databaseFor: lists, cursorKey }),
    listBuckets: listBucketsHandler({ databaseFor: lists, cursorKey }),
    createContentLink: createContentLinkHandler({ databaseFor: lists, linkKey, contentOrigin }),
  };
}
