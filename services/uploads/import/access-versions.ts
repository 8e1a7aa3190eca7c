/** Tells servers that remember what a client may see of a bucket when that has changed. */
import type pg from "pg";
import { runStatement } from "./run-statement.ts";

/** To be called once the buckets of the import are locked, before anything in them is written. */
export async function rememberAccess(client: pg.ClientBase): Promise<void> {
  await runStatement(client, `insert into access_before ${access}`);
}

/**
 * Gives buckets another version if they have other hidden folders or integrations than before, or
 * if they hide uploads now and did not, or the other way round.
 */
export async function renewAccessVersions(client: pg.ClientBase): Promise<void> {
  await runStatement(client, renewChanged);
}

const access = `
  select bucket_id, 'integration ' || integration_id as thing, document as state
  from uploads.integrations
  where bucket_id in (select bucket_id from staged_paths)
  union all
  select bucket_id, 'hidden folder ' || tree_key, coalesce(scoping_integration_id::text, '')
  from uploads.folders
  where integration_hidden and bucket_id in (select bucket_id from staged_paths)
  union all
  select bucket_id, 'hides uploads', ''
  from uploads.buckets b
  where bucket_id in (select bucket_id from staged_paths) and exists (
    select from uploads.uploads u where u.bucket_id = b.bucket_id and u.integration_hidden)`;

// The time is in it so that a version never means two things: after a failover that lost an import,
// or a restored backup, the next number would be one that servers have seen before.
const renewChanged = `
  with access_now as materialized (${access}), changed as (
    (table access_before except table access_now)
    union all
    (table access_now except table access_before)
  )
  insert into uploads.access_versions as known (bucket_id, version)
  select bucket_id, (extract(epoch from clock_timestamp()) * 1000000)::bigint
  from changed group by bucket_id
  on conflict (bucket_id) do update set version = greatest(excluded.version, known.version + 1)`;
