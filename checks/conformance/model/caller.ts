/** The caller, and what the caller may see of a bucket. */
import { completeFolder } from "./complete.ts";
import { type Folder, ModelError, type Upload } from "./messages.ts";
import { isFolderPath, isWithin, withAncestors } from "./path.ts";
import type { Bucket } from "./records.ts";

export interface Caller {
  /** Absent: a token without an organisation. */
  organisationId?: string;
  clientId: string;
  authorizationDetails?: readonly object[];
}

export interface BucketRef {
  bucketId?: string;
  hostname?: string;
}

export interface Visibility {
  bucket: Bucket;
  uploads: readonly Upload[];
  /** Includes folders that are only ancestors of visible ones: these have ID and path only. */
  folders: readonly Folder[];
  /** Whether the folder itself is visible, not only as an ancestor. */
  covers(path: string): boolean;
  /** Whether a request may name the folder; true also for ancestors of a location. */
  mayName(path: string): boolean;
}

/** What the caller may see of the bucket in the request. */
export function visibilityIn(
  buckets: readonly Bucket[],
  caller: Caller,
  ref?: BucketRef | null,
): Visibility {
  const bucket = findBucket(buckets, caller, ref);
  const locations = bucket && grantedLocations(caller, bucket.bucketId);
  if (!bucket || !locations || locations.length === 0) throw new ModelError("not_found", "bucket");

  const closed = hiddenFrom(bucket, caller);
  const covers = (path: string) => locations.some((location) => isWithin(path, location));
  const open = (path: string) => !withAncestors(path).some((each) => closed.has(each));
  const own = bucket.folders.filter(({ path }) => open(path) && covers(path));
  const leads = (path: string) => !covers(path) && own.some((each) => isWithin(each.path, path));
  const bare = bucket.folders.filter(({ path }) => leads(path)).map(bareFolder);
  return {
    bucket,
    covers,
    mayName: (path) =>
      open(path) && locations.some((each) => isWithin(path, each) || isWithin(each, path)),
    folders: [...own, ...bare],
    uploads: bucket.uploads.filter(
      (upload) =>
        open(upload.path) &&
        covers(upload.path) &&
        (!upload.integrationHidden || isOwnClient(bucket, upload.integrationId, caller)),
    ),
  };
}

function findBucket(buckets: readonly Bucket[], caller: Caller, ref?: BucketRef | null) {
  const own = buckets.filter(({ organisationId }) => organisationId === caller.organisationId);
  if (!ref) return own.findLast(({ primary }) => primary);
  const hostname = ref.hostname?.toLowerCase();
  return own.find(
    (bucket) => bucket.bucketId === ref.bucketId || bucket.hostname.toLowerCase() === hostname,
  );
}

function bareFolder({ folderId, path }: Folder): Folder {
  return completeFolder({ folderId, path }, []);
}

/** The hidden folders that the caller may not see. */
function hiddenFrom(bucket: Bucket, caller: Caller): ReadonlySet<string> {
  const hidden = bucket.folders.filter(
    (folder) =>
      folder.integrationHidden && !isOwnClient(bucket, folder.scopingIntegrationId, caller),
  );
  return new Set(hidden.map(({ path }) => path));
}

function isOwnClient(bucket: Bucket, integrationId: string, caller: Caller): boolean {
  return bucket.integrations.some(
    (each) => each.integrationId === integrationId && each.oauthClientId === caller.clientId,
  );
}

/** The folders whose subtrees the token's entries let the caller read; empty: none. */
function grantedLocations(caller: Caller, bucketId: string): string[] {
  const entries = (caller.authorizationDetails ?? []) as Record<string, unknown>[];
  const limits = entries.filter(({ type }) => type === "bucket");
  if (limits.length === 0) return ["/"];
  return limits.flatMap((entry) => locationsOf(entry, bucketId));
}

function locationsOf(entry: Record<string, unknown>, bucketId: string): string[] {
  const { type: _, identifier, actions, locations, ...unknown } = entry;
  if (Object.keys(unknown).length > 0) return [];
  if (identifier !== undefined && identifier !== bucketId) return [];
  if (!Array.isArray(actions) || !actions.includes("read")) return [];
  if (locations === undefined) return ["/"];
  return Array.isArray(locations) && locations.every(isFolderPath) ? locations : [];
}
