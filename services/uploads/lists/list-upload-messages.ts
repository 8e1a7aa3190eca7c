import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import sql, { raw, type Sql } from "sql-template-tag";
import type { Position, UploadQuery } from "../model/upload-query.ts";
import type { Run } from "../postgres/database.ts";
import { type PageRequest, pageBound, sortColumn, type UploadList } from "../search/upload-list.ts";
import { cutOf, cutText, type ListPlan } from "./plans/list-plan.ts";
import { type PlannedRead, readPage } from "./plans/read-page.ts";
import { type UploadRow, uploadColumns, uploadIntegration, uploadOf } from "./upload-columns.ts";

/** One page of a list. */
export interface UploadPage {
  readonly uploads: Upload[];
  /** Where the page ends; none where nothing follows. */
  readonly next: Position | undefined;
}

/** The uploads of the list that follow `after`, at most `pageSize`. */
export function listUploads(run: Run, list: UploadList, page: PageRequest): Promise<UploadPage> {
  return readPage(list, page, (plan) => listUploadsBy(run, plan, list, page));
}

interface PageRow extends UploadRow {
  sort_key: string;
}

// There is a row without an upload where none is found.
type FoundRow = (PageRow | { [Column in keyof PageRow]: null }) & { cut: string | null };

/** The page as one plan finds it. */
export async function listUploadsBy(
  run: Run,
  plan: ListPlan,
  list: UploadList,
  page: PageRequest,
): Promise<PlannedRead<UploadPage>> {
  const { pageSize } = page;
  // One more than asked tells whether anything follows.
  const found = await run<FoundRow>(
    sql`
    ${plan.with}
    select p.*, case when count(p.upload_id) over () <= ${pageSize}
      then ${cutText(plan, list.bucketId)} end as cut
    from (values (1)) as one left join (
      select u.*, row_number() over () as position from (
        select ${uploadColumns}, ${sortKeyText(list.query)} as sort_key
        from ${plan.from} ${uploadIntegration}
        where ${plan.where} order by ${plan.orderBy} limit ${raw(String(pageBound(page)))}
      ) u limit ${pageSize + 1}
    ) p on true
    order by p.position`,
    { prepared: plan.prepared },
  );
  const rows = found.filter((row) => row.upload_id !== null);
  const shown = rows.slice(0, pageSize);
  const last = rows.length > pageSize ? shown.at(-1) : undefined;
  return {
    cut: cutOf(rows.length, found[0]?.cut),
    result: {
      uploads: shown.map(uploadOf),
      next: last && { sortKey: last.sort_key, uploadId: last.upload_id },
    },
  };
}

// As documents have it, so that cursors are the same in every encoding.
function sortKeyText({ sortBy }: UploadQuery): Sql {
  const column = sortColumn({ sortBy });
  const isTime = sortBy === "created_at" || sortBy === "updated_at";
  return isTime ? sql`uploads.json_time(${column} at time zone 'UTC')` : sql`${column}::text`;
}
