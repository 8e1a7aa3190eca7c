/** The first page of the newest uploads of a folder, as SQL that does nothing else. */
import { bucketId } from "../data-set/data-set.ts";

export const pageSize = 50;

/** A named prepared statement. One row more than the page tells whether anything follows. */
export function pageQuery(columns: string, { path = "" }: { readonly path?: string | undefined }) {
  return {
    name: "newest-of-folder",
    text: `select ${columns} from uploads.uploads
      where bucket_id = $1 and folder_key = $2
        and hashtextextended(folder_key, 1) = hashtextextended($2, 1)
      order by created_at desc, upload_id desc limit ${pageSize + 1}`,
    // A path as folder_key has it; paths of data sets have no control characters.
    values: [bucketId, path === "/" ? "" : path.replaceAll("/", "\u0001")],
  };
}
