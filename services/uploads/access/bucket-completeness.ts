/** How complete a bucket is for a caller: `completeAsOf` and `isPartial` of answers. */
import { type Completed, completenessOf } from "../model/completeness.ts";
import type { TreeKey } from "../model/tree-key.ts";
import { bindParameters } from "../postgres/named-parameters.ts";
import type { ReadColumn } from "../postgres/statements.ts";
import type { OpenBucket } from "./open-bucket.ts";
import { folderVisibility } from "./visibility.ts";

export interface BucketCompleteness {
  /** In RFC 3339; undefined if there is no source, or one that was never complete. */
  readonly completeAsOf: string | undefined;
  readonly isPartial: boolean;
}

interface SourceOfBucket extends Completed {
  readonly mountKey: TreeKey;
}

/** What is known of a bucket may be this old. An answer is then as of an earlier time. */
const maxAgeMs = 1000;
const bucketsMax = 10_000;

/** Reads the sources of each bucket at most once a second, for all callers. */
export class CompletenessReader {
  readonly #known = new Map<string, { sources: readonly SourceOfBucket[]; readAtMs: number }>();

  /** How complete what the caller sees of the bucket is. */
  async read(
    { bucketId, visibility }: OpenBucket,
    readColumn: ReadColumn,
  ): Promise<BucketCompleteness> {
    const sources = await this.#sourcesOf(bucketId, readColumn);
    return completenessOfAll(
      sources.filter(({ mountKey }) => folderVisibility(visibility, mountKey) !== "outside"),
    );
  }

  async #sourcesOf(bucketId: string, readColumn: ReadColumn): Promise<readonly SourceOfBucket[]> {
    const known = this.#known.get(bucketId);
    const readAtMs = performance.now();
    if (known !== undefined && readAtMs - known.readAtMs < maxAgeMs) return known.sources;
    const column = await readColumn(bindParameters(sourcesOfBucket, { bucketId }));
    const rows: readonly SourceRow[] = JSON.parse(column.at(0)?.toString() ?? "[]");
    const sources = rows.map(([mountKey, doubt, completeMs, oldMs]) => ({
      ...{ mountKey, doubt },
      lastCompleteAt: completeMs === null ? undefined : new Date(completeMs),
      oldAt: oldMs === null ? undefined : new Date(oldMs),
    }));
    if (this.#known.size >= bucketsMax) this.#known.clear();
    this.#known.set(bucketId, { sources, readAtMs });
    return sources;
  }
}

type SourceRow = [
  mountKey: TreeKey,
  doubt: string,
  completeMs: number | null,
  oldMs: number | null,
];

const sourcesOfBucket = `
  select coalesce(json_agg(json_build_array(mount_key, left(doubt, 1),
    floor(extract(epoch from last_complete_at) * 1000),
    floor(extract(epoch from old_at) * 1000))), '[]')::text
  from uploads.sources where bucket_id = :bucketId`;

function completenessOfAll(sources: readonly SourceOfBucket[]): BucketCompleteness {
  const nowMs = Date.now();
  const times = sources.map(({ lastCompleteAt }) => lastCompleteAt?.getTime());
  const known = times.filter((time) => time !== undefined);
  const isAlwaysKnown = known.length > 0 && known.length === times.length;
  return {
    completeAsOf: isAlwaysKnown ? new Date(Math.min(...known)).toISOString() : undefined,
    isPartial: sources.some((source) => completenessOf(source, nowMs) !== "complete"),
  };
}

/** The members of an answer in JSON, each with a comma before it. */
export function completenessMembers({ completeAsOf, isPartial }: BucketCompleteness): string {
  const time = completeAsOf === undefined ? "" : `,"completeAsOf":"${completeAsOf}"`;
  return `${time},"isPartial":${isPartial}`;
}
