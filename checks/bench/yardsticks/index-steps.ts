/**
 * The yardstick of searches: steps over entries of an index that lists are ordered by, and looks
 * for a text in each. No search that has to look at so many can take less.
 */
import pg from "pg";

export interface IndexSteps extends AsyncDisposable {
  /** How long it took, once. */
  measureMs(): Promise<number>;
}

export const steppedEntries = 20_000;

export async function openIndexSteps(databaseUrl: string, bucketId: string): Promise<IndexSteps> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  // One processor, as for a search.
  await client.query("set max_parallel_workers_per_gather = 0; set jit = off");
  return {
    async measureMs() {
      const startMs = performance.now();
      await client.query({ name: "index-steps", text: stepOver, values: [bucketId] });
      return performance.now() - startMs;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const stepOver = `
  select count(*) from (
    select facets from uploads.uploads where bucket_id = $1
    order by size_bytes, upload_id limit ${steppedEntries}) as entries
  where strpos(facets, 'no such text') > 0`;
