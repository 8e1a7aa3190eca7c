import type pg from "pg";
import { lockBuckets } from "./lock-buckets.ts";
import { type MergeCounts, mergeCounts } from "./merge-counts.ts";
import type { UploadReplacement } from "./merge-uploads.ts";
import { countRows, runStatement } from "./run-statement.ts";

/** Host names that would belong to two buckets. */
export class HostnameTakenError extends Error {
  override readonly name = "HostnameTakenError";
}

/** A bucket that somebody else made or changed while a directory was read for it. */
export class BucketChangedError extends Error {
  override readonly name = "BucketChangedError";
}

/**
 * Locks the buckets of the import to the end of the transaction, then makes and changes them as
 * staged. A bucket that is to be primary takes the place of its organisation's primary one; of
 * several, the last. Throws `HostnameTakenError`, and `BucketChangedError` for a directory, which
 * was read for the bucket as it was found: only lines say what a bucket is to become.
 */
export async function mergeBuckets(
  client: pg.ClientBase,
  replacement: UploadReplacement,
): Promise<MergeCounts> {
  const all = await countRows(client, "staged_buckets");
  if (!(await lockBuckets(client))) return mergeCounts(all, 0, 0);
  if (replacement === "what a directory tells") await refuseChangedBuckets(client);
  await runStatement(client, settlePrimary);
  await refuseTakenHostnames(client);
  const changed = await runStatement(client, clearChanged);
  await runStatement(client, clearPrimary);
  await runStatement(client, setChanged);
  const made = await runStatement(client, addNew);
  return mergeCounts(all, made, changed);
}

async function refuseChangedBuckets(client: pg.ClientBase): Promise<void> {
  if ((await countRows(client, changedBuckets)) === 0) return;
  throw new BucketChangedError(
    "Cannot import: another import made or changed the bucket meanwhile; import again",
  );
}

const changedBuckets = `staged_buckets s join uploads.buckets b using (bucket_id)
  where (b.hostname, b.organisation_id) is distinct from (s.hostname, s.organisation_id)`;

const settlePrimary = `
  update staged_buckets s set is_primary = case
    when s.is_primary then not exists (
      select from staged_buckets later
      where later.organisation_id = s.organisation_id and later.is_primary and later.line > s.line)
    else coalesce(
      (select b.is_primary from uploads.buckets b where b.bucket_id = s.bucket_id),
      not exists (select from uploads.buckets b
                  where b.organisation_id = s.organisation_id and b.is_primary))
    end
  where is_primary is distinct from false`;

// Buckets may exchange their names or organisations, and each row is held unique by itself: first
// all let go of what they have. No host name is as long as this.
const clearChanged = `
  update uploads.buckets b set hostname = rpad(b.bucket_id::text, 300, '.'), is_primary = false
  from staged_buckets s
  where b.bucket_id = s.bucket_id and (b.hostname, b.organisation_id, b.is_primary)
    is distinct from (s.hostname, s.organisation_id, s.is_primary)`;

const clearPrimary = `
  update uploads.buckets b set is_primary = false
  from staged_buckets s
  where b.is_primary and s.is_primary
    and b.organisation_id = s.organisation_id and b.bucket_id <> s.bucket_id`;

const setChanged = `
  update uploads.buckets b set hostname = s.hostname, organisation_id = s.organisation_id,
    is_primary = s.is_primary
  from staged_buckets s
  where b.bucket_id = s.bucket_id and b.hostname is distinct from s.hostname`;

const addNew = `
  insert into uploads.buckets (bucket_id, hostname, organisation_id, is_primary)
  select s.bucket_id, s.hostname, s.organisation_id, s.is_primary from staged_buckets s
  where not exists (select from uploads.buckets b where b.bucket_id = s.bucket_id)`;

const reportedMax = 20;

async function refuseTakenHostnames(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ line: string; hostname: string; holder: string }>(`
    select s.line, s.hostname, other.bucket_id as holder
    from staged_buckets s join (
      select bucket_id, hostname from staged_buckets
      union all
      select bucket_id, hostname from uploads.buckets
      where bucket_id not in (select bucket_id from staged_buckets)
    ) other on other.hostname = s.hostname and other.bucket_id <> s.bucket_id
    order by s.line limit ${reportedMax}`);
  if (rows.length === 0) return;
  const faults = rows.map(
    ({ line, hostname, holder }) =>
      `line ${line}: bucket.hostname: got "${hostname}", which belongs to bucket ${holder}, ` +
      "need one that no other bucket has",
  );
  throw new HostnameTakenError(
    ["Cannot import: a host name would belong to two buckets; nothing was kept", ...faults].join(
      "\n",
    ),
  );
}
