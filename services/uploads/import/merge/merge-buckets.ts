import { MultilineError } from "@stowage/process";
import type pg from "pg";
import { countRows, type MergeCounts, mergeCounts, runStatement } from "./statements.ts";

/** A host name that would belong to two buckets. */
class HostnameTakenError extends MultilineError {
  override readonly name = "HostnameTakenError";
}

/** A bucket that was made, changed or removed while this import read its source. */
class BucketChangedError extends Error {
  override readonly name = "BucketChangedError";
}

/**
 * Locks the buckets of the import until the transaction ends, then makes and changes them as
 * staged. A new primary bucket replaces the primary bucket of its organisation; of several, the
 * last counts. Throws `HostnameTakenError`, and `BucketChangedError` if a bucket was removed, or if
 * the import must not change buckets.
 */
export async function mergeBuckets(
  client: pg.ClientBase,
  { mayChangeBuckets }: { readonly mayChangeBuckets: boolean },
): Promise<MergeCounts> {
  const all = await countRows(client, "staged_buckets");
  const { added, changed } = (await lockBuckets(client))
    ? await writeBuckets(client, mayChangeBuckets)
    : { added: 0, changed: 0 };
  await rejectRemovedBuckets(client);
  return mergeCounts(all, added, changed);
}

async function writeBuckets(
  client: pg.ClientBase,
  mayChangeBuckets: boolean,
): Promise<{ readonly added: number; readonly changed: number }> {
  if (!mayChangeBuckets) await rejectChangedBuckets(client);
  await runStatement(client, choosePrimary);
  await rejectTakenHostnames(client);
  const changed = await runStatement(client, clearChanged);
  await runStatement(client, clearPrimary);
  await runStatement(client, setChanged);
  const added = await runStatement(client, addNew);
  return { added, changed };
}

/**
 * Locks the buckets of the import until the transaction ends, so that other imports into them wait.
 * Readers do not wait, nor do imports into other buckets: an import that makes or changes buckets
 * also locks their host names, and their organisations because of the primary bucket. All imports
 * take their locks in the same order, so there are no deadlocks: first the one of all that make or
 * change buckets, then the IDs of these buckets, then names, then rows by ID.
 *
 * Returns whether buckets may be written. If not, no statement may write to the table: it would
 * wait for the names that another import has locked, after the rows are locked.
 */
async function lockBuckets(client: pg.ClientBase): Promise<boolean> {
  if ((await countRows(client, differentBuckets)) === 0) {
    await client.query("savepoint before_rows");
    await runStatement(client, lockRows);
    await rejectRemovedBuckets(client);
    if ((await countRows(client, differentBuckets)) === 0) return false;
    // The import that this one waited for has changed them. Names must be locked before rows.
    await client.query("rollback to savepoint before_rows");
  }
  await lockNames(client);
  await runStatement(client, lockRows);
  return true;
}

async function lockNames(client: pg.ClientBase): Promise<void> {
  const areMany = (await countRows(client, "staged_buckets")) > lockedByNameMax;
  await runStatement(client, areMany ? lockForMany : lockForFew);
  if (areMany) return;
  await runStatement(client, lockAll("select bucket_id::text from staged_buckets"));
  await runStatement(client, lockAll(namesOfBuckets));
}

/** Locks share a table of limited size with the locks of all other connections. */
const lockedByNameMax = 500;

// An import of more buckets waits for all others that make or change buckets, and they for it.
const lockForFew = "select pg_advisory_xact_lock_shared(hashtextextended('stowage buckets', 0))";
const lockForMany = "select pg_advisory_xact_lock(hashtextextended('stowage buckets', 0))";

// A new bucket has no row that could be locked, and a name belongs to no row. If two names have the
// same hash, imports only wait for each other.
function lockAll(names: string): string {
  return `
    select pg_advisory_xact_lock(key) from (
      select distinct hashtextextended('stowage ' || name, 0) as key from (${names}) as n (name)
      order by key) keys`;
}

const namesOfBuckets = `
  select kind || name from (
    select hostname, organisation_id from staged_buckets
    union
    select hostname, organisation_id from uploads.buckets
    where bucket_id in (select bucket_id from staged_buckets)) b
  cross join lateral (values ('host ', hostname), ('organisation ', organisation_id))
    names (kind, name)`;

const differentBuckets = `staged_buckets s left join uploads.buckets b using (bucket_id)
  where (b.hostname, b.organisation_id, b.is_primary)
    is distinct from (s.hostname, s.organisation_id, coalesce(s.is_primary, b.is_primary))`;

/**
 * Copies `primary` from the last staged line of a bucket that has it to all staged lines of the
 * bucket. Call it before all but the last line are dropped.
 */
export const keepPrimary = `
  update staged_buckets s set is_primary = said.is_primary, primary_line = said.line
  from (
    select distinct on (bucket_id) bucket_id, is_primary, line from staged_buckets
    where is_primary is not null order by bucket_id, line desc) said
  where said.bucket_id = s.bucket_id`;

/** Locks one bucket, by its ID: imports into it wait until the transaction ends. */
export const lockBucket = "select from uploads.buckets where bucket_id = :bucketId for update";

const lockRows = `
  select from uploads.buckets
  where bucket_number in (select bucket_number from staged_paths)
    or is_primary and organisation_id in (
    select organisation_id from staged_buckets where is_primary)
  order by bucket_id for update`;

async function rejectChangedBuckets(client: pg.ClientBase): Promise<void> {
  if ((await countRows(client, changedBuckets)) === 0) return;
  throw new BucketChangedError(
    "Cannot import: another import made or changed the bucket meanwhile; import again",
  );
}

async function rejectRemovedBuckets(client: pg.ClientBase): Promise<void> {
  if ((await countRows(client, removedBuckets)) === 0) return;
  throw new BucketChangedError("Cannot import: its bucket was removed meanwhile; import again");
}

const removedBuckets = `staged_paths p
  where not exists (select from uploads.buckets b where b.bucket_number = p.bucket_number)`;

const changedBuckets = `staged_buckets s join uploads.buckets b using (bucket_id)
  where (b.hostname, b.organisation_id) is distinct from (s.hostname, s.organisation_id)`;

// A bucket that moves to another organisation is not primary there, unless its line says so.
const choosePrimary = `
  update staged_buckets s set is_primary = case
    when s.is_primary then s.primary_line >= o.last_primary
    else o.last_primary is null and coalesce(
      (select b.is_primary and b.organisation_id = s.organisation_id
       from uploads.buckets b where b.bucket_id = s.bucket_id),
      s.is_first and not exists (
        select from uploads.buckets b
        where b.organisation_id = s.organisation_id and b.is_primary))
    end
  from (
    select organisation_id, max(primary_line) filter (where is_primary) as last_primary
    from staged_buckets group by organisation_id) o
  where o.organisation_id = s.organisation_id and s.is_primary is distinct from false`;

// Buckets may exchange names or organisations, and unique constraints are checked row by row. So
// every changed bucket first gets a placeholder that is longer than any host name.
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
  insert into uploads.buckets (bucket_id, bucket_number, hostname, organisation_id, is_primary)
  select s.bucket_id, s.bucket_number, s.hostname, s.organisation_id, s.is_primary
  from staged_buckets s
  where not exists (select from uploads.buckets b where b.bucket_id = s.bucket_id)`;

const reportedMax = 20;

async function rejectTakenHostnames(client: pg.ClientBase): Promise<void> {
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
  const errors = rows.map(
    ({ line, hostname, holder }) =>
      `line ${line}: bucket.hostname: got "${hostname}", which belongs to bucket ${holder}, ` +
      "need one that no other bucket has",
  );
  throw new HostnameTakenError(
    ["Cannot import: a host name would belong to two buckets; nothing was kept", ...errors].join(
      "\n",
    ),
  );
}
