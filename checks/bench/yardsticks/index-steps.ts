/**
 * The yardstick of searches: steps over entries of an index that lists are ordered by, and looks
 * for a text in each. No search that has to look at so many can take less.
 */
import { createLogger, openPool } from "@stowage/process";
import { yardstickSettings } from "./yardstick-settings.ts";

export interface IndexSteps extends AsyncDisposable {
  /** How long it took, once. */
  measureMs(): Promise<number>;
}

export const steppedEntries = 20_000;

const name = "index-steps";

export function openIndexSteps(databaseUrl: string, bucketId: string): IndexSteps {
  const pool = openPool({
    databaseUrl,
    connectionsMax: 1,
    applicationName: name,
    logger: createLogger({ name, level: "warn" }),
    serverSettings: yardstickSettings,
  });
  return {
    async measureMs() {
      const startMs = performance.now();
      await pool.query({ name, text: stepOver, values: [bucketId] });
      return performance.now() - startMs;
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

const stepOver = `
  select count(*) from (
    select filter_text from uploads.uploads where bucket_id = $1
    order by size_bytes, upload_id limit ${steppedEntries}) as entries
  where strpos(filter_text, 'no such text') > 0`;
