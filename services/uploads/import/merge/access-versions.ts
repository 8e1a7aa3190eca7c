/** Changes the access version of a bucket when the access caches of servers become wrong. */
import type pg from "pg";
import { runStatement } from "./statements.ts";

/** Stores the rows that decide visibility. Call it with the buckets locked, before any write. */
export async function readAccessState(client: pg.ClientBase): Promise<void> {
  await runStatement(client, `insert into access_before ${access}`);
}

/**
 * Gives buckets a new version if their integrations or hidden folders have changed, or if they now
 * have the first hidden upload or no longer have any.
 */
export async function renewAccessVersions(client: pg.ClientBase): Promise<void> {
  await runStatement(client, renewChanged);
}

const access = `
  select bucket_number, 'integration ' || integration_id as thing, document as state
  from uploads.integrations
  where bucket_number in (select bucket_number from staged_paths)
  union all
  select bucket_number, 'hidden folder ' || tree_key, coalesce(scoping_integration_id::text, '')
  from uploads.folders
  where integration_hidden and bucket_number in (select bucket_number from staged_paths)
  union all
  select bucket_number, 'hides uploads', ''
  from uploads.buckets b
  where bucket_number in (select bucket_number from staged_paths) and exists (
    select from uploads.uploads u
    where u.bucket_number = b.bucket_number and u.integration_hidden)`;

// A version is a time, so that it is never used twice: after a failover that lost an import, or
// from a restored backup, a counter would give a number that servers have already seen.
const renewChanged = `
  with access_now as materialized (${access}), changed as (
    (table access_before except table access_now)
    union all
    (table access_now except table access_before)
  )
  insert into uploads.access_versions as known (bucket_id, version)
  select bucket_id, (extract(epoch from clock_timestamp()) * 1000000)::bigint
  from changed join uploads.buckets using (bucket_number) group by bucket_id
  on conflict (bucket_id) do update set version = greatest(excluded.version, known.version + 1)`;
