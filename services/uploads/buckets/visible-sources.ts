import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  SourceKind,
  type Source as SourceMessage,
  SourceSchema,
  SourceState,
} from "@stowage/api/stowage/v1/buckets_service_pb";
import type { OpenBucket } from "../access/open-bucket.ts";
import { folderVisibility } from "../access/visibility.ts";
import { treeKey } from "../model/tree-key.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { type Location, type Source, type State, stateOf } from "../sources/source.ts";

/** The sources of each bucket that has some, by the path of their folders. */
export async function sourcesByBucket(
  run: RunQuery,
  bucketIds: readonly string[],
): Promise<ReadonlyMap<string, readonly SourceRow[]>> {
  const rows = await run<SourceRow>(
    `select bucket_id, source_id, name, kind, mount_path, is_paused, outcome, message,
      last_complete_at, case when lease_until > clock_timestamp() then lease_holder end as run_by
    from uploads.sources where bucket_id = any(:bucketIds) order by mount_path`,
    { bucketIds },
  );
  return Map.groupBy(rows, ({ bucket_id }) => bucket_id);
}

/**
 * The sources of a bucket whose folder the caller sees. If the folder only leads to what the caller
 * sees, the message is left out, because it may name or count other things in that folder.
 */
export function visibleSources(
  rows: readonly SourceRow[],
  { visibility }: Pick<OpenBucket, "visibility">,
): SourceMessage[] {
  return rows
    .map((row) => ({ row, seen: folderVisibility(visibility, treeKey(row.mount_path)) }))
    .filter(({ seen }) => seen !== "outside")
    .map(({ row, seen }) =>
      create(SourceSchema, {
        sourceId: row.source_id,
        name: row.name,
        kind: kinds[row.kind],
        path: row.mount_path,
        state:
          states[
            stateOf({
              runBy: row.run_by ?? undefined,
              isPaused: row.is_paused,
              outcome: row.outcome ?? undefined,
            })
          ],
        message: seen === "inside" ? row.message : "",
        ...(row.last_complete_at && { lastCompleteAt: timestampFromDate(row.last_complete_at) }),
      }),
    );
}

export interface SourceRow {
  readonly bucket_id: string;
  readonly source_id: string;
  readonly name: string;
  readonly kind: Location["kind"];
  readonly mount_path: string;
  readonly is_paused: boolean;
  readonly outcome: NonNullable<Source["outcome"]> | null;
  readonly message: string;
  readonly last_complete_at: Date | null;
  readonly run_by: string | null;
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
