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
      coalesce(t.subtree_size_bytes, 0)::float8 as "sizeBytes"
    from uploads.buckets b
    join uploads.bucket_sizes s on s.bucket_id = b.bucket_id
    left join uploads.folder_totals t on t.bucket_id = b.bucket_id and t.tree_key = ''
    order by b.hostname`);
  return rows;
}
