/**
 * The *floor*: the least that a Node process can do to answer such requests with such pages. It
 * reads the request, queries the database for the columns that differ between uploads, and puts
 * them between constant texts. No token, no checks, no cursor, nothing escaped.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism } from "node:os";
import { text } from "node:stream/consumers";
import { createLogger, openPool } from "@stowage/process";
import type pg from "pg";
import { bucketId } from "./data-set.ts";
import { runWorker } from "./worker-process.ts";

/** Settings of the connections, as the service has them: a statement is planned once. */
const serverSettings = {
  plan_cache_mode: "force_generic_plan",
  jit: "off",
  max_parallel_workers_per_gather: "0",
};
/** As the service has by default. */
const connectionsMax = 2 * availableParallelism();

/** Its only command. It reports the port on which it listens. */
runWorker(async ({ databaseUrl }: { readonly databaseUrl: string }) => {
  const logger = createLogger({ name: "floor", level: "warn" });
  const connections = { databaseUrl, connectionsMax, applicationName: "floor", serverSettings };
  const pool = openPool({ ...connections, logger });
  const server = createServer({ keepAlive: true, noDelay: true }, (request, response) => {
    answer(pool, request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
});

const pageSize = 50;
/** As long as a real one. */
const cursor = "c".repeat(200);

async function answer(pool: pg.Pool, request: IncomingMessage, response: ServerResponse) {
  const { path } = JSON.parse(await text(request));
  const { rows } = await pool.query<string[]>({
    name: "newest-of-folder",
    text: newestOfFolder,
    // A path as tree_key has it; paths of data sets have no control characters.
    values: [bucketId, path.replaceAll("/", "\u0001")],
    rowMode: "array",
  });
  const texts = rows.slice(0, pageSize).map((row) => uploadText(path, row));
  const content = `{"uploads":[${texts}],"nextCursor":"${rows.length > pageSize ? cursor : ""}"}`;
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(content),
  });
  response.end(content);
}

function uploadText(path: string, [id, name, size, type, created, updated]: readonly string[]) {
  const names = `"uploadId":"${id}","filename":"${name}","path":"${path}","slug":"${name}"`;
  const times = `"createdAt":"${created}","updatedAt":"${updated}"`;
  return `{${names},"sizeBytes":${size},"type":"${type}",${constantMembers},${times}}`;
}

/** As long as the rest of an upload. */
const constantMembers = `"text":"${"c".repeat(430)}"`;

// One row more than the page tells whether anything follows.
const newestOfFolder = `
  select upload_id, filename, size_bytes::text, type::text, created_at::text, updated_at::text
  from uploads.uploads
  where bucket_number = (select bucket_number from uploads.buckets where bucket_id = $1)
    and tree_position + 1 = (
      select tree_position + 1 from uploads.folders join uploads.buckets using (bucket_number)
      where bucket_id = $1 and tree_key = $2)
  order by created_at desc, id_prefix desc limit ${pageSize + 1}`;
