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
  /** When the source was last complete, in milliseconds since 1970; undefined if it never was. */
  readonly lastCompleteAtMs: number | undefined;
  readonly message: string;
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
  readonly lastCompleteAt?: string;
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
    sources.map(({ sourceId, lastCompleteAtMs }) => [sourceId, lastCompleteAtMs]),
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
  message = "",
  lastCompleteAt,
}: JsonSource): Source {
  const lastCompleteAtMs = lastCompleteAt === undefined ? undefined : Date.parse(lastCompleteAt);
  return { sourceId, name, state, message, lastCompleteAtMs };
}
