/** Which bucket a name leads to, and what of it is hidden from whom. */
import sql, { type Sql } from "sql-template-tag";
import type { TreeKey } from "../model/tree-key.ts";
import type { Run } from "../postgres/database.ts";

/** How a request names a bucket. */
export type BucketName = { bucketId: string } | { hostname: string } | "primary";

/** Who asks for which bucket. */
export interface BucketQuestion {
  readonly organisationId: string;
  readonly clientId: string;
  readonly name: BucketName;
}

/** The answer, which holds as long as the bucket has this access version. */
export interface BucketAccess {
  readonly bucketId: string;
  readonly version: string;
  /**
   * The folders hidden from the client: hidden ones whose scoping integration is not the client's,
   * or is not known.
   */
  readonly hiddenFolders: readonly TreeKey[];
  /** Whether the client keeps integrations in the bucket. */
  readonly ownsIntegrations: boolean;
  /** Whether there are hidden uploads in the bucket. */
  readonly hidesUploads: boolean;
}

/** None where the organisation has no such bucket. */
export async function findBucketAccess(
  run: Run,
  question: BucketQuestion,
): Promise<BucketAccess | undefined> {
  const { clientId } = question;
  const [row] = await run<AccessRow>(
    sql`
    select b.bucket_id, ${version} as version, array(
      select f.tree_key from uploads.folders f
      left join uploads.integrations s
        on s.bucket_id = f.bucket_id and s.integration_id = f.scoping_integration_id
      where f.bucket_id = b.bucket_id and f.integration_hidden
        and s.oauth_client_id is distinct from ${clientId}) as hidden_folders,
      exists (select from uploads.integrations own where own.bucket_id = b.bucket_id
        and own.oauth_client_id = ${clientId}) as owns_integrations,
      exists (select from uploads.uploads u
        where u.bucket_id = b.bucket_id and u.integration_hidden) as hides_uploads
    from uploads.buckets b where ${isAskedFor(question)}`,
    { prepared: true },
  );
  if (row === undefined) return undefined;
  return {
    bucketId: row.bucket_id,
    version: row.version,
    hiddenFolders: row.hidden_folders,
    ownsIntegrations: row.owns_integrations,
    hidesUploads: row.hides_uploads,
  };
}

interface AccessRow {
  readonly bucket_id: string;
  readonly version: string;
  readonly hidden_folders: TreeKey[];
  readonly owns_integrations: boolean;
  readonly hides_uploads: boolean;
}

/**
 * For statements that read by an answer from earlier: the version that the bucket has by now; null
 * where the question leads to another bucket, or to none.
 */
export function accessVersion(question: BucketQuestion, bucketId: string): Sql {
  return sql`(select ${version} from uploads.buckets b
    where b.bucket_id = ${bucketId} and ${isAskedFor(question)})`;
}

const version = sql`coalesce((
  select v.version from uploads.access_versions v where v.bucket_id = b.bucket_id), 0)::text`;

function isAskedFor({ organisationId, name }: BucketQuestion): Sql {
  return sql`b.organisation_id = ${organisationId} and ${isNamed(name)}`;
}

function isNamed(name: BucketName): Sql {
  if (name === "primary") return sql`b.is_primary`;
  if ("bucketId" in name) return sql`b.bucket_id = ${name.bucketId}`;
  return sql`b.hostname = ${name.hostname.toLowerCase()}`;
}
