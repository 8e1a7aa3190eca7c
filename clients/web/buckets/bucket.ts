/** A bucket, as the page uses it. */
export interface Bucket {
  readonly bucketId: string;
  readonly hostname: string;
  readonly primary: boolean;
  readonly uploadCount: number;
  readonly sizeBytes: number;
  readonly sources: readonly Source[];
}

/** A place that a folder of the bucket mirrors. */
export interface Source {
  readonly sourceId: string;
  readonly name: string;
  /** The name of a `SourceState`. */
  readonly state: string;
  /** The name of a `SourceCompleteness`. */
  readonly completeness: string;
  /** What it is complete as of, in milliseconds since 1970; undefined if it never was complete. */
  readonly completeAsOfMs: number | undefined;
  readonly message: string;
  /** Objects that were looked at again in the last 30 days, and how many of them differed. */
  readonly lookedAgain: number;
  readonly differed: number;
}

/** A bucket as JSON has it. Members with default values may be left out. */
export interface JsonBucket {
  readonly bucketId: string;
  readonly hostname: string;
  readonly primary?: boolean;
  readonly uploadCount?: string | number;
  readonly sizeBytes?: string | number;
  readonly sources?: readonly JsonSource[];
}

interface JsonSource {
  readonly sourceId: string;
  readonly name: string;
  readonly state?: string;
  readonly completeness?: string;
  readonly completeAsOf?: string;
  readonly lookedAgain?: string | number;
  readonly differed?: string | number;
  readonly message?: string;
}

/**
 * Another text whenever something in the bucket may have changed: its totals have, or a run of one
 * of its sources was completed. Changes that an import makes are in the totals only.
 */
export function markerOf({ uploadCount, sizeBytes, sources }: Bucket): string {
  return JSON.stringify([
    uploadCount,
    sizeBytes,
    sources.map(({ sourceId, completeAsOfMs }) => [sourceId, completeAsOfMs]),
  ]);
}

export function bucketOf(bucket: JsonBucket): Bucket {
  const { bucketId, hostname, primary = false, uploadCount = 0, sizeBytes = 0 } = bucket;
  const sources = bucket.sources?.map(sourceOf) ?? [];
  return {
    bucketId,
    hostname,
    primary,
    uploadCount: Number(uploadCount),
    sizeBytes: Number(sizeBytes),
    sources,
  };
}

function sourceOf({
  sourceId,
  name,
  state = "",
  completeness = "",
  message = "",
  completeAsOf,
  lookedAgain = 0,
  differed = 0,
}: JsonSource): Source {
  const completeAsOfMs = completeAsOf === undefined ? undefined : Date.parse(completeAsOf);
  const counts = { lookedAgain: Number(lookedAgain), differed: Number(differed) };
  return { sourceId, name, state, completeness, message, completeAsOfMs, ...counts };
}
