import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  SourceKind,
  type Source as SourceMessage,
  SourceSchema,
  SourceState,
} from "@stowage/api/stowage/v1/buckets_service_pb";
import sql from "sql-template-tag";
import type { OpenBucket } from "../access/open-bucket.ts";
import { folderVisibility } from "../access/visibility.ts";
import { treeKey } from "../model/tree-key.ts";
import type { Run } from "../postgres/database.ts";
import { type Location, type Source, type State, stateOf } from "../sources/source.ts";

/** The sources of a bucket whose folder the caller sees, by the path of that folder. */
export async function visibleSources(
  run: Run,
  { bucketId, visibility }: OpenBucket,
): Promise<SourceMessage[]> {
  const rows = await run<SourceRow>(sql`
    select source_id, name, kind, mount_path, is_paused, outcome, message, last_complete_at,
      case when lease_until > clock_timestamp() then lease_holder end as run_by
    from uploads.sources where bucket_id = ${bucketId} order by mount_path`);
  return rows
    .filter(({ mount_path }) => folderVisibility(visibility, treeKey(mount_path)) !== "outside")
    .map((row) =>
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
        message: row.message,
        ...(row.last_complete_at && { lastCompleteAt: timestampFromDate(row.last_complete_at) }),
      }),
    );
}

interface SourceRow {
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
