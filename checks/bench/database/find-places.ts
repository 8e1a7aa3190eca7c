/** How much there is in a loaded database, and which parts of it are listed. */
import type pg from "pg";

export interface Places {
  readonly uploads: number;
  readonly folders: number;
  /** The folder that is closest to 200 pages and a bit. */
  readonly folder: Place;
  /** The folder that, with all below it, is closest to a tenth of all uploads. */
  readonly subtree: Place;
}

interface Place {
  readonly path: string;
  readonly uploads: number;
}

const folderUploads = 10_500;
const subtreePart = 0.1;

export async function findPlaces(client: pg.ClientBase): Promise<Places> {
  const first = async <Row extends pg.QueryResultRow>(text: string, ...values: number[]) =>
    (await client.query<Row>(text, values)).rows[0]!;
  const totals = await first<{ uploads: number; folders: number }>(countAll);
  return {
    ...totals,
    folder: await first<Place>(closestFolder, folderUploads),
    subtree: await first<Place>(closestSubtree, totals.uploads * subtreePart),
  };
}

const countAll = `
  select (select count(*) from uploads.uploads)::integer as uploads,
    (select count(*) from uploads.folders)::integer as folders`;

// A folder with fewer uploads has too few pages, so it comes after all that have more.
const closestFolder = `
  select path, count(*)::integer as uploads from uploads.uploads
  group by path
  order by count(*) < $1, abs(count(*) - $1), path
  limit 1`;

const closestSubtree = `
  select '/' || array_to_string(segments[2:depth + 1], '/') as path, count(*)::integer as uploads
  from uploads.uploads, string_to_array(path, '/') as segments, generate_series(1, 4) as depth
  where path <> '/' and cardinality(segments) > depth
  group by 1
  order by abs(count(*) - $1), 1
  limit 1`;
