/** The first page of a list, as SQL that does nothing but find it. */

/** What of a `ListUploads` request the yardsticks understand. */
export interface PageRequest {
  readonly path?: string | undefined;
  readonly recursive?: boolean;
  readonly sortBy?: string | undefined;
  readonly sortOrder?: string | undefined;
}

export const pageSize = 50;

/** For a named prepared statement. One row more than the page tells whether anything follows. */
export function pageQuery(columns: string, bucketId: string, request: PageRequest) {
  const { path, recursive = false, sortBy = "created_at", sortOrder = "desc" } = request;
  const column = sortColumns[sortBy];
  const direction = directions[sortOrder];
  if (column === undefined || direction === undefined) {
    throw new Error(`Cannot sort by ${sortBy} ${sortOrder}: the yardsticks do not know that`);
  }
  const below = recursive ? "subtree" : "folder";
  const where = path === undefined ? "bucket" : below;
  const hashed = where === "folder" ? hashCondition(sortBy) : "";
  return {
    name: `page-${where}-${sortBy}-${sortOrder}`,
    text: `select ${columns} from uploads.uploads
      where bucket_id = $1 ${conditions[where]} ${hashed}
      order by ${column} ${direction}, upload_id ${direction} limit ${pageSize + 1}`,
    values: path === undefined ? [bucketId] : [bucketId, treeKey(path)],
  };
}

/** A path as folder_key has it; those of data sets have no control characters. */
function treeKey(path: string): string {
  return path === "/" ? "" : path.replaceAll("/", "\u0001");
}

const conditions = {
  bucket: "",
  folder: "and folder_key = $2",
  subtree: "and folder_key >= $2 and folder_key < $2 || chr(2)",
};

/** The number by which the folder's index for a sort hashes; that by filename does not. */
const hashNumbers: Readonly<Record<string, number>> = {
  created_at: 1,
  updated_at: 2,
  size_bytes: 3,
  order: 4,
};

function hashCondition(sortBy: string): string {
  const number = hashNumbers[sortBy];
  if (number === undefined) return "";
  const hash = (key: string) => `hashtextextended(${key}, ${number})`;
  return `and ${hash("folder_key")} = ${hash("$2")}`;
}

const directions: Readonly<Record<string, string>> = { asc: "asc", desc: "desc" };

const sortColumns: Readonly<Record<string, string>> = {
  created_at: "created_at",
  updated_at: "updated_at",
  filename: "filename",
  size_bytes: "size_bytes",
  order: '"order"',
};
