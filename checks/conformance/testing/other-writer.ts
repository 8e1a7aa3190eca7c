/** Another connection, which writes to the uploads of a bucket while a test pages through them. */
import pg from "pg";

interface OtherWriter {
  /** Inserts, moves or deletes uploads with IDs that begin with `fleeting`; changes others. */
  writeSomething(): Promise<void>;
  /** How many rows each kind of statement has written so far. */
  readonly rowCounts: Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/** Sort keys anywhere among the others, in every sort. `$1` is any number. */
const newKeys = {
  created_at: "timestamptz '2025-01-01T00:00:00Z' + $1::int * interval '1 microsecond'",
  updated_at: "timestamptz '2025-01-01T00:00:00Z' + $1::int * interval '1 microsecond'",
  filename: "chr(97 + $1::int % 26)",
  size_bytes: "$1::int % 20",
  order: "$1::int % 20",
};

export async function connectOtherWriter(
  databaseUrl: string,
  bucketId: string,
): Promise<OtherWriter> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const writings = Object.entries(writingsOn(await storedColumns(client)));
  const rowCounts: Record<string, number> = {};
  let step = 0;
  return {
    rowCounts,
    async writeSomething() {
      const [name, sql] = writings[step % writings.length] ?? ["", ""];
      const { rowCount } = await client.query(sql, [(step * 7919) % 1000, bucketId]);
      rowCounts[name] = (rowCounts[name] ?? 0) + (rowCount ?? 0);
      step += 1;
    },
    close: () => client.end(),
  };
}

async function storedColumns(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'uploads' and table_name = 'uploads' and is_generated = 'NEVER'`,
  );
  return rows.map(({ name }) => name);
}

function writingsOn(columns: readonly string[]): Record<string, string> {
  // Of such an ID, the prefix in indexes is all of it.
  const ids = { upload_id: "original.new_id", id_prefix: "original.new_id" };
  const keys: Record<string, string> = { ...newKeys, ...ids };
  const copied = columns.map((column) => keys[column] ?? `original."${column}"`);
  const moved = Object.entries(newKeys).map(([column, value]) => `"${column}" = ${value}`);
  const inBucket = `bucket_number = (
    select bucket_number from uploads.buckets where bucket_id = $2) and upload_id`;
  return {
    inserted: `insert into uploads.uploads (${columns.map((column) => `"${column}"`).join()})
      select ${copied.join()} from (
        select *, 'fleeting-' || gen_random_uuid() as new_id from uploads.uploads
        where ${inBucket} not like 'fleeting%' order by upload_id limit 5 offset $1::int % 50
      ) original`,
    moved: `update uploads.uploads set ${moved.join()} where ${inBucket} in (
      select upload_id from uploads.uploads where ${inBucket} like 'fleeting%'
      order by md5(upload_id || $1::int) limit 5)`,
    changed: `update uploads.uploads
      set external_path = 'changed ' || $1::int
      where ${inBucket} in (
        select upload_id from uploads.uploads where ${inBucket} not like 'fleeting%'
        order by md5(upload_id || $1::int) limit 20)`,
    deleted: `delete from uploads.uploads where ${inBucket} in (
      select upload_id from uploads.uploads where ${inBucket} like 'fleeting%'
      order by md5(upload_id || $1::int) limit 4)`,
  };
}
