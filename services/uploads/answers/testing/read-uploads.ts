import type { JsonObject } from "@bufbuild/protobuf";
import { queryColumn } from "../../postgres/column-query.ts";
import { bindParameters } from "../../postgres/named-parameters.ts";
import { RawClient } from "../../postgres/raw-client.ts";
import { UploadJson, uploadColumns } from "../upload-json.ts";

interface Options {
  readonly databaseUrl: string;
  readonly bucketId: string;
  readonly baseUrl: string | undefined;
  /** In SQL. */
  readonly orderBy?: string;
}

/** The uploads of a bucket as answers have them. */
export async function readUploads(options: Options): Promise<JsonObject[]> {
  const { databaseUrl, bucketId, baseUrl, orderBy = "u.upload_id" } = options;
  const client = new RawClient({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ bucketNumber: number }>(
      'select bucket_number as "bucketNumber" from uploads.buckets where bucket_id = $1',
      [bucketId],
    );
    const json = new UploadJson({ baseUrl, bucketId });
    const statement = bindParameters(
      `select ${uploadColumns({ withIntegration: true })} from uploads.uploads u
       where u.bucket_number = :bucketNumber order by ${orderBy}`,
      { ...rows[0] },
    );
    const column = await queryColumn(client, statement, {
      addRow: (all, row) => all.addWritten((output) => json.write(row, output)),
    });
    return JSON.parse(`[${column.joined(0, column.length)}]`);
  } finally {
    await client.end();
  }
}
