import { type Check, listedMax } from "./check-bucket.ts";

/** Folders whose positions are in another order than their keys, and uploads in a wrong place. */
export const wrongPositions: Check = async (run, { bucketNumber }) => {
  const values = { bucketNumber, listedMax };
  const folders = await run<{ path: string; before: string }>(wrongFolders, values);
  const uploads = await run<{ id: string; path: string; place: string | null }>(
    wrongUploads,
    values,
  );
  const text = JSON.stringify;
  return [
    ...folders.map(
      ({ path, before }) => `, folder ${text(path)}: got a position before that of ${text(before)}`,
    ),
    ...uploads.map(({ id, path, place }) => {
      const got = place === null ? "no folder" : text(place);
      return `, upload ${text(id)}: got the position of ${got}, need that of ${text(path)}`;
    }),
  ];
};

const wrongFolders = `
  select * from (
    select uploads.path_of(tree_key, path) as path, tree_position,
      lag(uploads.path_of(tree_key, path)) over (order by tree_key) as before,
      lag(tree_position) over (order by tree_key) as position_before
    from uploads.folders where bucket_number = :bucketNumber) f
  where tree_position <= position_before limit :listedMax`;

// Also an upload whose folder is missing: no foreign key refers to it.
const wrongUploads = `
  select u.upload_id as id, u.path, uploads.path_of(f.tree_key, f.path) as place
  from uploads.uploads u
  left join uploads.folders f
    on f.bucket_number = :bucketNumber and f.tree_position = u.tree_position
  where u.bucket_number = :bucketNumber
    and (f.tree_key is null or uploads.path_of(f.tree_key, f.path) <> u.path)
  order by u.tree_position, u.filename limit :listedMax`;
