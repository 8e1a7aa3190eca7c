import type pg from "pg";

interface ListedBucket {
  readonly hostname: string;
  readonly bucketId: string;
  readonly organisationId: string;
  readonly primary: boolean;
  readonly sources: number;
  readonly folders: number;
  readonly uploads: number;
  readonly sizeBytes: number;
}

/** All buckets by host name, with stored sizes. */
export async function readBuckets(client: pg.ClientBase): Promise<ListedBucket[]> {
  const { rows } = await client.query<ListedBucket>(`
    select b.hostname, b.bucket_id as "bucketId", b.organisation_id as "organisationId",
      b.is_primary as "primary",
      (select count(*)::float8 from uploads.sources s where s.bucket_id = b.bucket_id) as sources,
      s.folders::float8 as folders, s.uploads::float8 as uploads,
      root.subtree_size_bytes::float8 as "sizeBytes"
    from uploads.buckets b
    join uploads.bucket_sizes s on s.bucket_id = b.bucket_id
    join uploads.folders root on root.bucket_number = b.bucket_number and root.tree_key = ''
    order by b.hostname`);
  return rows;
}
