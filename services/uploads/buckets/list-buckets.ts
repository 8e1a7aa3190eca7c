import { create } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";
import { writeJson } from "@stowage/api/json/write-json";
import {
  type Bucket,
  BucketSchema,
  type ListBucketsRequestSchema,
  ListBucketsResponseSchema,
} from "@stowage/api/stowage/v1/buckets_service_pb";
import { grantedLocations } from "../access/grants.ts";
import { openGrantedBuckets } from "../access/open-bucket.ts";
import { readPageSize } from "../access/request-fields.ts";
import type { Handler } from "../calls/handler.ts";
import type { DatabaseForCaller } from "../fairness/fair-pool.ts";
import { decodeCursor, encodeCursor } from "../model/cursor.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { sourcesByBucket, visibleSources } from "./visible-sources.ts";
import { visibleTotals } from "./visible-totals.ts";

interface ListBucketsOptions {
  readonly databaseFor: DatabaseForCaller;
  readonly cursorKey: Uint8Array;
}

/** `BucketsService.ListBuckets`. */
export function listBucketsHandler({
  databaseFor,
  cursorKey,
}: ListBucketsOptions): Handler<typeof ListBucketsRequestSchema> {
  return async ({ pageSize: requestedSize, cursor }, { caller, signal, record }) => {
    const pageSize = readPageSize(requestedSize);
    const query = JSON.stringify(["buckets", caller.organisationId ?? null]);
    const after = cursor === "" ? "" : decodeCursor(cursor, query, cursorKey).sortKey;
    const page = await databaseFor(caller).read({ signal, snapshot: true }, async ({ run }) => {
      const rows = await grantedBuckets(run, caller, after, pageSize + 1);
      const buckets = await describeBuckets(run, caller, rows.slice(0, pageSize));
      return { buckets, goesOn: rows.length > pageSize };
    });
    const { buckets } = page;
    record.rows = buckets.length;
    const last = buckets.at(-1);
    const response = create(ListBucketsResponseSchema, {
      buckets,
      nextCursor:
        page.goesOn && last !== undefined
          ? encodeCursor({ sortKey: last.hostname, uploadId: last.bucketId }, query, cursorKey)
          : "",
    });
    const json = Buffer.from(JSON.stringify(writeJson(ListBucketsResponseSchema, response)));
    return { json, release() {} };
  };
}

interface BucketRow {
  readonly bucket_id: string;
  readonly hostname: string;
  readonly is_primary: boolean;
}

const readAtOnce = 1000;

/** The first buckets after a hostname that the token grants something of. */
async function grantedBuckets(
  run: RunQuery,
  { organisationId, authorizationDetails }: AccessToken,
  after: string,
  countMax: number,
): Promise<readonly BucketRow[]> {
  const granted: BucketRow[] = [];
  for (let from = after; granted.length < countMax; ) {
    const rows = await run<BucketRow>(
      `select bucket_id, hostname, is_primary from uploads.buckets
      where organisation_id = :organisationId and hostname > :from
      order by hostname limit ${readAtOnce}`,
      { organisationId: organisationId ?? null, from },
    );
    granted.push(
      ...rows.filter(
        ({ bucket_id }) => grantedLocations(authorizationDetails, bucket_id).length > 0,
      ),
    );
    const last = rows.at(-1);
    if (rows.length < readAtOnce || last === undefined) break;
    from = last.hostname;
  }
  return granted.slice(0, countMax);
}

async function describeBuckets(
  run: RunQuery,
  caller: AccessToken,
  rows: readonly BucketRow[],
): Promise<Bucket[]> {
  const bucketIds = rows.map(({ bucket_id }) => bucket_id);
  const opened = await openGrantedBuckets(run, caller, bucketIds);
  const parts = opened.map(({ bucketNumber, visibility }) => ({
    bucketNumber,
    ranges: visibility.ranges,
  }));
  const totals = await visibleTotals(run, parts, caller.clientId);
  const sources = await sourcesByBucket(run, bucketIds);
  return opened.map((bucket, index) => {
    const { bucket_id: bucketId, hostname, is_primary: primary } = rows[index] as BucketRow;
    return create(BucketSchema, {
      bucketId,
      hostname,
      primary,
      ...totals[index],
      sources: visibleSources(sources.get(bucketId) ?? [], bucket),
    });
  });
}
