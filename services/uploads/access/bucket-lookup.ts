/** Which bucket a request names, and what of it is hidden from whom. */
import type { TreeKey } from "../model/tree-key.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { type Visibility, visibilityOf } from "./visibility.ts";

/** How a request names a bucket. IDs and hostnames are in lower case. */
export type BucketName = { bucketId: string } | { hostname: string } | "primary";

/** Who asks for which bucket. */
export interface BucketLookup {
  readonly organisationId: string;
  readonly clientId: string;
  readonly name: BucketName;
}

/** The bucket, and what of it is hidden from the client, as long as it has this access version. */
export interface BucketAccess {
  readonly bucketId: string;
  /** What rows of folders and uploads have in place of the ID. */
  readonly bucketNumber: number;
  readonly version: string;
  /** Hidden folders whose scoping integration is not the client's, or is not known. */
  readonly hiddenFolders: readonly TreeKey[];
  /** What the client sees if its token is not limited to locations. */
  readonly unrestricted: Visibility;
}

/** Returns undefined if the organisation has no such bucket. */
export async function findBucketAccess(
  run: RunQuery,
  { organisationId, clientId, name }: BucketLookup,
): Promise<BucketAccess | undefined> {
  const [bucket] = await run<{ bucket_id: string }>(
    `select b.bucket_id from uploads.buckets b
    where b.organisation_id = :organisationId and ${isNamed(name)}`,
    { organisationId, ...(name !== "primary" && name) },
  );
  if (bucket === undefined) return undefined;
  const [access] = await readBucketAccess(run, [bucket.bucket_id], clientId);
  return access;
}

/** The access to each of the buckets, in their order. They must exist. */
export async function readBucketAccess(
  run: RunQuery,
  bucketIds: readonly string[],
  clientId: string,
): Promise<BucketAccess[]> {
  const rows = await run<AccessRow>(access, { bucketIds, clientId });
  return rows.map((row) => {
    const { version, hidden_folders: hiddenFolders, hides_uploads: hidesUploads } = row;
    const owner = row.owns_integrations ? clientId : undefined;
    const unrestricted = visibilityOf(["/"], hiddenFolders, owner, hidesUploads);
    return {
      bucketId: row.bucket_id,
      bucketNumber: row.bucket_number,
      version,
      hiddenFolders,
      unrestricted,
    };
  });
}

function isNamed(name: BucketName): string {
  if (name === "primary") return "b.is_primary";
  return "bucketId" in name ? "b.bucket_id = :bucketId" : "b.hostname = :hostname";
}

const versionOf = (bucketId: string) => `coalesce((
  select v.version from uploads.access_versions v where v.bucket_id = ${bucketId}), 0)::text`;

const access = `
  select b.bucket_id, b.bucket_number, ${versionOf("b.bucket_id")} as version,
    array(
      select f.tree_key from uploads.folders f
      left join uploads.integrations s
        on s.bucket_number = b.bucket_number and s.integration_id = f.scoping_integration_id
      where f.bucket_number = b.bucket_number and f.integration_hidden
        and s.oauth_client_id is distinct from :clientId) as hidden_folders,
    exists (
      select from uploads.integrations own
      where own.bucket_number = b.bucket_number and own.oauth_client_id = :clientId)
      as owns_integrations,
    exists (
      select from uploads.uploads u
      where u.bucket_number = b.bucket_number and u.integration_hidden) as hides_uploads
  from unnest(:bucketIds::uuid[]) with ordinality as asked (bucket_id, number)
  join uploads.buckets b using (bucket_id) order by asked.number`;

interface AccessRow {
  readonly bucket_id: string;
  readonly bucket_number: number;
  readonly version: string;
  readonly hidden_folders: TreeKey[];
  readonly owns_integrations: boolean;
  readonly hides_uploads: boolean;
}

/**
 * The current access version of the bucket, for statements that rely on cached access. Null if the
 * name no longer means this bucket. A null parameter is not compared.
 */
export const accessVersion = `(select ${versionOf("b.bucket_id")} from uploads.buckets b
    where b.bucket_number = :bucketNumber and b.organisation_id = :organisationId
      and b.hostname = coalesce(:hostname, b.hostname)
      and b.is_primary = coalesce(:isPrimary, b.is_primary))`;

/** The parameters of `accessVersion`, but for the bucket. */
export function versionParameters({ organisationId, name }: BucketLookup) {
  const hostname = typeof name === "object" && "hostname" in name ? name.hostname : null;
  return {
    organisationId,
    hostname,
    isPrimary: name === "primary" ? true : null,
  };
}
