/** Writes a bucket as NDJSON while it is read: a line is a document with the name of its kind. */
import { once } from "node:events";
import type { Writable } from "node:stream";
import { folderColumns, writeFolder } from "../answers/folder-json.ts";
import { UploadJson, uploadColumns } from "../answers/upload-json.ts";
import { JsonOutput } from "../json/json-output.ts";
import { keysDownTo, treeKey } from "../model/tree-key.ts";
import { subtreeRange } from "../model/tree-key-range.ts";
import { positionAt } from "../model/tree-position.ts";
import { BinaryRow } from "../postgres/binary-row.ts";
import type { Statements } from "../postgres/statements.ts";

interface Exported {
  /** A host name in lower case. */
  readonly bucket: string;
  /** The folder, in normal form. */
  readonly path: string;
}

/**
 * Writes the folder with all under it, and the folders above without what else is in them. Needs a
 * snapshot. Does not read faster than the output takes the lines.
 *
 * @throws Error if there is no such bucket or folder.
 */
export async function exportLines(
  { run, stream }: Pick<Statements, "run" | "stream">,
  { bucket: hostname, path }: Exported,
  output: Writable,
): Promise<void> {
  const [bucket] = await run<{ bucketId: string; bucketNumber: number; line: string }>(
    `select bucket_id as "bucketId", bucket_number as "bucketNumber",
      json_build_object('bucket', json_build_object(
      'bucketId', bucket_id, 'hostname', hostname, 'organisationId', organisation_id,
      'primary', is_primary))::text as line
    from uploads.buckets where hostname = :hostname`,
    { hostname },
  );
  if (bucket === undefined) {
    throw new Error(`Cannot export ${hostname}: there is no bucket with that host name`);
  }
  // PostgreSQL reads rows in batches without parallel workers, so the plan must not need them.
  await run("set local max_parallel_workers_per_gather = 0");
  const values = {
    bucketNumber: bucket.bucketNumber,
    ...subtreeRange(treeKey(path)),
    // Their settings decide who sees what is under them.
    above: keysDownTo(treeKey(path)).slice(0, -1),
  };
  const folders = await run(
    "select from uploads.folders where bucket_number = :bucketNumber and tree_key = :from",
    values,
  );
  if (folders.length === 0) {
    throw new Error(`Cannot export ${path} of ${hostname}: there is no such folder`);
  }

  output.write(`${bucket.line}\n`);
  // The service makes the addresses of content from its own at the time of the answer.
  const uploads = new UploadJson({ baseUrl: undefined, bucketId: bucket.bucketId });
  const writers: Record<Kind, WriteRow> = {
    integration: writeDocument,
    folder: writeFolder,
    upload: (row, lines) => uploads.write(row, lines),
  };
  for (const [kind, rows] of parts) {
    const lines = new LineWriter(kind, writers[kind], output);
    await stream(rows, values, {
      onRow: (bytes, start) => lines.add(bytes, start),
      afterChunk: () => lines.send(),
    });
    await lines.send();
  }
}

type Kind = "integration" | "folder" | "upload";

/** What is exported, in this order. */
const parts: readonly [kind: Kind, rows: string][] = [
  [
    "integration",
    `select document from uploads.integrations where bucket_number = :bucketNumber
    order by integration_id`,
  ],
  [
    "folder",
    `select ${folderColumns({ withIntegrations: false })} from uploads.folders f
    where f.bucket_number = :bucketNumber and f.tree_key = any(:above) order by f.tree_key`,
  ],
  [
    "folder",
    `select ${folderColumns({ withIntegrations: false })} from uploads.folders f
    where f.bucket_number = :bucketNumber and f.tree_key >= :from and f.tree_key < :to
    order by f.tree_key`,
  ],
  [
    "upload",
    `select ${uploadColumns({ withIntegration: false })} from uploads.uploads u
    where u.bucket_number = :bucketNumber
      and u.tree_position >= (select ${positionAt(":from")})
      and u.tree_position < (select ${positionAt(":to")})
    order by u.tree_position, u.filename, u.id_prefix, u.upload_id`,
  ],
];

/** Writes a row as JSON. */
type WriteRow = (row: BinaryRow, output: JsonOutput) => void;

function writeDocument(row: BinaryRow, output: JsonOutput): void {
  output.addPart(row.bytes, row.start(0), row.end(0));
}

/** Collects the lines of one chunk of rows, and writes them together. */
class LineWriter {
  readonly #row = new BinaryRow();
  readonly #start: Buffer;
  readonly #writeRow: WriteRow;
  readonly #to: Writable;
  readonly #lines = new JsonOutput();

  constructor(kind: string, writeRow: WriteRow, to: Writable) {
    this.#start = Buffer.from(`{"${kind}":`);
    this.#writeRow = writeRow;
    this.#to = to;
  }

  add(bytes: Buffer, start: number): void {
    this.#row.read(bytes, start);
    this.#lines.add(this.#start);
    this.#writeRow(this.#row, this.#lines);
    this.#lines.add(end);
  }

  async send(): Promise<void> {
    if (this.#lines.length === 0) return;
    // The stream may keep what it is given.
    const bytes = Buffer.from(this.#lines.view(0, this.#lines.length));
    this.#lines.clear();
    if (!this.#to.write(bytes)) await once(this.#to, "drain");
  }
}

const end = Buffer.from("}\n");
