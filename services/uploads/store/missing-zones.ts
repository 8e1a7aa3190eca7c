import sql, { join, raw } from "sql-template-tag";
import { zonesMax } from "../domain/piece-zones.ts";
import { type SortColumn, sortColumns } from "../domain/upload-query.ts";
import type { Run } from "./database.ts";
import { keptPieces, orderColumns, readPieceZones, rowsOfZones } from "./piece-zones.ts";

const noZones = sql`B'0'::bit(${raw(`${zonesMax}`)})`;

/** A piece of names that stands in more zones of an order than are kept for it. */
export interface MissingZones {
  readonly bucketId: string;
  readonly piece: string;
  readonly sortBy: SortColumn;
}

/** All that searches pass over though they should not: every upload is read. Needs a snapshot. */
export async function* missingZones(run: Run): AsyncGenerator<MissingZones> {
  const buckets = await run<{ bucket_id: string }>(sql`
    select bucket_id from uploads.zoned_buckets order by bucket_id`);
  for (const { bucket_id: bucketId } of buckets) {
    const pieces = await keptPieces(run, bucketId);
    const needed = await readPieceZones(run, { bucketId, pieces, uploads: sql`true` });
    const compared = orderColumns.map((order) => {
      return sql`n.${order} & ~ p.${order} <> ${noZones} as ${order}`;
    });
    const rows = await run<{ piece: string } & Record<SortColumn, boolean>>(sql`
      select p.piece, ${join(compared)}
      from uploads.piece_zones p join ${rowsOfZones(needed)} n using (piece)
      where p.bucket_id = ${bucketId} order by p.piece`);
    for (const { piece, ...isMissing } of rows) {
      for (const sortBy of sortColumns) if (isMissing[sortBy]) yield { bucketId, piece, sortBy };
    }
  }
}
