import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  SourceCompleteness,
  SourceKind,
  type Source as SourceMessage,
  SourceSchema,
  SourceState,
} from "@stowage/api/stowage/v1/buckets_service_pb";
import type { OpenBucket } from "../access/open-bucket.ts";
import { folderVisibility } from "../access/visibility.ts";
import { type Completeness, completenessOf } from "../model/completeness.ts";
import { treeKey } from "../model/tree-key.ts";
import type { RunQuery } from "../postgres/statements.ts";
import {
  type Location,
  messageOf,
  progressOf,
  type SourceState as SourceRowState,
  type State,
  stateColumns,
  stateOf,
  withoutNulls,
} from "../sources/source.ts";

/** The sources of each bucket that has some, by the path of their folders. */
export async function sourcesByBucket(
  run: RunQuery,
  bucketIds: readonly string[],
): Promise<ReadonlyMap<string, readonly SourceRow[]>> {
  const rows = await run<SourceRow>(
    `select bucket_id, source_id, name, kind, mount_path, ${stateColumns}
    from uploads.sources where bucket_id = any(:bucketIds) order by mount_path`,
    { bucketIds },
  );
  return Map.groupBy(rows.map(withoutNulls), ({ bucket_id }) => bucket_id);
}

/**
 * The sources of a bucket whose folder the caller sees. If the folder only leads to what the caller
 * sees, what may name or count other things in that folder is left out.
 */
export function visibleSources(
  rows: readonly SourceRow[],
  { visibility }: Pick<OpenBucket, "visibility">,
): SourceMessage[] {
  return rows
    .map((row) => ({ row, seen: folderVisibility(visibility, treeKey(row.mount_path)) }))
    .filter(({ seen }) => seen !== "outside")
    .map(({ row, seen }) => {
      const completeAsOf = row.lastCompleteAt && timestampFromDate(row.lastCompleteAt);
      const progress = progressOf(row);
      return create(SourceSchema, {
        sourceId: row.source_id,
        name: row.name,
        kind: kinds[row.kind],
        path: row.mount_path,
        state: states[stateOf(row)],
        completeness: completenesses[completenessOf(row)],
        ...(completeAsOf && { completeAsOf, lastCompleteAt: completeAsOf }),
        ...(progress !== undefined && { progress }),
        ...(seen === "inside" && {
          message: messageOf(row),
          waitingDeletions: BigInt(row.waitingDeletions),
          lookedAgain: BigInt(row.lookedAgain),
          differed: BigInt(row.differed),
        }),
      });
    });
}

export interface SourceRow extends SourceRowState {
  readonly bucket_id: string;
  readonly source_id: string;
  readonly name: string;
  readonly kind: Location["kind"];
  readonly mount_path: string;
}

const kinds: Readonly<Record<Location["kind"], SourceKind>> = {
  s3: SourceKind.S3,
  directory: SourceKind.DIRECTORY,
};

const states: Readonly<Record<State, SourceState>> = {
  running: SourceState.RUNNING,
  paused: SourceState.PAUSED,
  idle: SourceState.IDLE,
  stopped: SourceState.STOPPED,
  failed: SourceState.FAILED,
};

const completenesses: Readonly<Record<Completeness, SourceCompleteness>> = {
  complete: SourceCompleteness.COMPLETE,
  incomplete: SourceCompleteness.INCOMPLETE,
  doubtful: SourceCompleteness.DOUBTFUL,
  old: SourceCompleteness.OLD,
};
