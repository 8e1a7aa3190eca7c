/** Writes a bucket as NDJSON while it is read: a line is a document with the name of its kind. */
import { once } from "node:events";
import type { Writable } from "node:stream";
import { keysDownTo, treeKey } from "../model/tree-key.ts";
import { subtreeRange } from "../model/tree-key-range.ts";
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
  const [bucket] = await run<{ bucketId: string; line: string }>(
    `select bucket_id as "bucketId", json_build_object('bucket', json_build_object(
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
    bucketId: bucket.bucketId,
    ...subtreeRange(treeKey(path)),
    // Their settings decide who sees what is under them.
    above: keysDownTo(treeKey(path)).slice(0, -1),
  };
  const folders = await run(
    "select from uploads.folders where bucket_id = :bucketId and tree_key = :from",
    values,
  );
  if (folders.length === 0) {
    throw new Error(`Cannot export ${path} of ${hostname}: there is no such folder`);
  }

  output.write(`${bucket.line}\n`);
  for (const [kind, documents] of parts) {
    const lines = new LineWriter(kind, output);
    await stream(documents, values, {
      onRow: (row) => lines.add(row),
      afterChunk: () => lines.send(),
    });
    await lines.send();
  }
}

/** What is exported, in this order: documents, and whether the row belongs to a source. */
const parts: readonly [kind: string, documents: string][] = [
  [
    "integration",
    `select document, false from uploads.integrations where bucket_id = :bucketId
    order by integration_id`,
  ],
  [
    "folder",
    `select document, false from uploads.folders
    where bucket_id = :bucketId and tree_key = any(:above) order by tree_key`,
  ],
  [
    "folder",
    `select document, false from uploads.folders
    where bucket_id = :bucketId and tree_key >= :from and tree_key < :to order by tree_key`,
  ],
  [
    "upload",
    `select document, source_id is not null from uploads.uploads
    where bucket_id = :bucketId and folder_key >= :from and folder_key < :to
    order by folder_key, filename, upload_id`,
  ],
];

/** Collects the lines of one chunk of rows, and writes them together. */
class LineWriter {
  readonly #row = new BinaryRow();
  readonly #start: Buffer;
  readonly #output: Writable;
  #chunks: Buffer[] = [];

  constructor(kind: string, output: Writable) {
    this.#start = Buffer.from(`{"${kind}":`);
    this.#output = output;
  }

  add(row: Buffer): void {
    this.#row.read(row);
    const document = this.#row.text(0) ?? Buffer.alloc(0);
    const content = this.#row.isTrue(1) ? withoutContentUrl(document) : document;
    this.#chunks.push(this.#start, Buffer.from(content), end);
  }

  async send(): Promise<void> {
    if (this.#chunks.length === 0) return;
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    if (!this.#output.write(bytes)) await once(this.#output, "drain");
  }
}

const end = Buffer.from("}\n");

// The service makes the address from its own at the time of the answer.
function withoutContentUrl(document: Buffer): Buffer {
  const { contentUrl: _, ...others } = JSON.parse(document.toString());
  return Buffer.from(JSON.stringify(others));
}
