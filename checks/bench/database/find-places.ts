/** What there is in a loaded database, and which parts of it are listed. */
import type pg from "pg";

export interface Places {
  readonly bucketId: string;
  readonly uploads: number;
  readonly folders: number;
  /** The folder that is closest to 200 pages and a bit. */
  readonly folder: Place;
  /** The folder that, with all below it, is closest to a tenth of all uploads. */
  readonly subtree: Place;
}

export interface Place {
  readonly path: string;
  readonly uploads: number;
}

const folderUploads = 10_500;
const subtreePart = 0.1;
/** Segments of the paths that a subtree may have. */
const subtreeDepths = [1, 2, 3, 4];

export async function findPlaces(client: pg.ClientBase): Promise<Places> {
  const only = async <Row extends pg.QueryResultRow>(statement: string, values: unknown[] = []) => {
    const { rows } = await client.query<Row>(statement, values);
    if (rows[0] === undefined) throw new Error("Cannot measure: there is nothing in the database");
    return rows[0];
  };
  const totals = await only<{ bucketId: string; uploads: number; folders: number }>(countAll);
  const folder = await only<Place>(closestFolder, [folderUploads]);
  const subtrees: Place[] = [];
  for (const depth of subtreeDepths) {
    subtrees.push(await only<Place>(closestSubtree, [totals.uploads * subtreePart, depth]));
  }
  const distance = ({ uploads }: Place) => Math.abs(uploads - totals.uploads * subtreePart);
  const [subtree] = subtrees.toSorted((one, other) => distance(one) - distance(other));
  return { ...totals, folder, subtree: subtree! };
}

const countAll = `
  select bucket_id as "bucketId", (select count(*) from uploads.uploads)::integer as uploads,
    (select count(*) from uploads.folders)::integer as folders
  from uploads.buckets`;

// One with fewer uploads has too few pages, so it comes after all that have more.
const closestFolder = `
  select path, count(*)::integer as uploads from uploads.uploads
  group by path
  order by count(*) < $1, abs(count(*) - $1), path
  limit 1`;

const closestSubtree = `
  select '/' || array_to_string(segments[2:$2 + 1], '/') as path, count(*)::integer as uploads
  from uploads.uploads, string_to_array(path, '/') as segments
  where path <> '/'
  group by 1
  order by abs(count(*) - $1), 1
  limit 1`;
