/** The zones in which pieces of names stand (schema/0020), worked out from the uploads. */
import sql, { join, raw, type Sql } from "sql-template-tag";
import { PieceZones, zonesMax } from "../domain/piece-zones.ts";
import { type SortColumn, sortColumns } from "../domain/upload-query.ts";
import type { Run } from "./database.ts";
import { sortColumn, sortType } from "./upload-list.ts";

/** The orders, each as the column of its name. */
export const orderColumns: readonly Sql[] = sortColumns.map((sortBy) => raw(`"${sortBy}"`));

export interface PiecesOfUploads {
  readonly bucketId: string;
  readonly pieces: Iterable<string>;
  /** Which uploads `u` of the bucket. */
  readonly uploads: Sql;
}

const rowsPerFetch = 5000;

/** Where the pieces stand in the zones of a bucket that has some. Needs a transaction. */
export async function readPieceZones(
  run: Run,
  { bucketId, pieces, uploads }: PiecesOfUploads,
): Promise<PieceZones> {
  const zones = new PieceZones(pieces, sortColumns.length);
  const placed = await placedIn(run, bucketId);
  await run(sql`declare placed_uploads no scroll cursor for
    select u.filename_folded, nullif(u.slug_folded, u.filename_folded) as slug_folded, ${placed}
    from uploads.uploads u where u.bucket_id = ${bucketId} and ${uploads}`);
  for (;;) {
    const rows = await run<PlacedUpload>(sql`fetch ${raw(`${rowsPerFetch}`)} from placed_uploads`);
    for (const row of rows) {
      const { filename_folded: filename, slug_folded: slug } = row;
      const names = slug === null ? [filename] : [filename, slug];
      zones.add(
        names,
        sortColumns.map((sortBy) => row[sortBy]),
      );
    }
    if (rows.length === 0) break;
  }
  await run(sql`close placed_uploads`);
  return zones;
}

/** The pieces whose zones the bucket keeps. */
export async function keptPieces(run: Run, bucketId: string): Promise<string[]> {
  const rows = await run<{ piece: string }>(sql`
    select piece from uploads.piece_zones where bucket_id = ${bucketId}`);
  return rows.map(({ piece }) => piece);
}

/** In each order the number of its zone. */
interface PlacedUpload extends Readonly<Record<SortColumn, number>> {
  readonly filename_folded: string;
  readonly slug_folded: string | null;
}

/** The zones of an upload `u`, as columns. */
async function placedIn(run: Run, bucketId: string): Promise<Sql> {
  const texts = orderColumns.map((order) => sql`${order}::text`);
  const [starts] = await run<Record<SortColumn, string>>(sql`
    select ${join(texts)} from uploads.zoned_buckets where bucket_id = ${bucketId}`);
  if (starts === undefined) {
    throw new Error(`Cannot read the zones of bucket ${bucketId}: it has none`);
  }
  // As values, since arrays of a row would be unpacked for each upload.
  const columns = sortColumns.map((sortBy) => {
    const keys = sql`${starts[sortBy]}::${sortType({ sortBy })}[]`;
    return sql`width_bucket(${sortColumn({ sortBy })}, ${keys}) as ${raw(`"${sortBy}"`)}`;
  });
  return join(columns);
}

/** The same as rows with the columns of `uploads.piece_zones`, but for the bucket. */
export function rowsOfZones(zones: PieceZones): Sql {
  const pieces: string[] = [];
  const columns: string[][] = sortColumns.map(() => []);
  for (const [piece, bits] of zones.entries()) {
    pieces.push(piece);
    for (const [index, column] of columns.entries()) {
      column.push(`x${Buffer.from(bits[index] ?? []).toString("hex")}`);
    }
  }
  const cast = orderColumns.map((order) => sql`${order}::bit(${raw(`${zonesMax}`)}) as ${order}`);
  const values = [pieces, ...columns].map((column) => sql`${column}::text[]`);
  return sql`(
    select piece, ${join(cast)}
    from unnest(${join(values)}) as given (piece, ${join(orderColumns)}))`;
}
