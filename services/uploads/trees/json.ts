import { fromJson } from "@bufbuild/protobuf";
import { writeJson } from "@stowage/api/json/write-json";
import { FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";
import { type BucketCompleteness, completenessMembers } from "../access/bucket-completeness.ts";
import type { WriteChunk } from "../calls/handler.ts";
import { ancestorFields, type RowContent } from "./rows.ts";
import { rollupOf, type TreeNode, type TreeSink } from "./walk.ts";

/**
 * Writes a tree as the contract's JSON while it is read. The members of a node are written in the
 * order in which they become known: its folder, uploads, children, and whether it was truncated.
 */
export class TreeJson implements TreeSink<RowContent> {
  readonly #chunks: ChunkWriter;
  readonly #includeRollups: boolean;
  /** Of the bucket; set before the top folder closes. */
  completeness: BucketCompleteness = { completeAsOf: undefined, isPartial: false };
  #depth = 0;
  /** Only uploads were written since the current folder opened. */
  #isInUploads = false;
  #isFirstUpload = true;

  constructor(chunks: ChunkWriter, includeRollups: boolean) {
    this.#chunks = chunks;
    this.#includeRollups = includeRollups;
  }

  open({ content, isAncestorOnly, matchesFilter }: TreeNode<RowContent>): void {
    if (this.#depth === 0) {
      this.#chunks.add(topStart);
    } else {
      this.#chunks.add(this.#isInUploads ? firstChild : nextChild);
      this.#chunks.add(isAncestorOnly ? ancestorJson(content) : content);
      this.#chunks.add(matchesFilter ? matchStart : otherStart);
    }
    this.#depth += 1;
    this.#isInUploads = true;
    this.#isFirstUpload = true;
  }

  upload(upload: RowContent): void {
    if (!this.#isFirstUpload) this.#chunks.addByte(comma);
    this.#isFirstUpload = false;
    this.#chunks.add(upload);
  }

  close(node: TreeNode<RowContent>): void {
    this.#depth -= 1;
    this.#chunks.add(this.#isInUploads ? noChildren : lastChild);
    this.#isInUploads = false;
    if (this.#depth > 0) this.#chunks.add(node.truncated ? isTruncated : isComplete);
    if (this.#includeRollups) {
      this.#chunks.add(Buffer.from(`,"rollup":${JSON.stringify(rollupOf(node))}`));
    }
    if (this.#depth === 0) this.#chunks.add(Buffer.from(completenessMembers(this.completeness)));
    this.#chunks.add(end);
  }
}

const topStart = Buffer.from('{"uploads":[');
const firstChild = Buffer.from('],"children":[{"folder":');
const nextChild = Buffer.from(',{"folder":');
const matchStart = Buffer.from(',"matchesFilter":true,"uploads":[');
const otherStart = Buffer.from(',"matchesFilter":false,"uploads":[');
const comma = 0x2c;
const noChildren = Buffer.from('],"children":[]');
const lastChild = Buffer.from("]");
const isTruncated = Buffer.from(',"truncated":true');
const isComplete = Buffer.from(',"truncated":false');
const end = Buffer.from("}");

/** A folder that only leads to others, with the default value of every field that is left out. */
function ancestorJson(content: RowContent): Uint8Array {
  const folder = fromJson(FolderSchema, ancestorFields(content));
  return Buffer.from(JSON.stringify(writeJson(FolderSchema, folder)));
}

/** Suits a socket and is little memory compared with the rest of a call. */
const chunkBytes = 64 * 1024;

/** Collects the parts of an answer into chunks, in one buffer that is reused. */
export class ChunkWriter {
  readonly #write: WriteChunk;
  #buffer = Buffer.allocUnsafeSlow(4 * chunkBytes);
  #length = 0;
  #hasSent = false;

  constructor(write: WriteChunk) {
    this.#write = write;
  }

  add(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#buffer.length) this.#grow(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  addByte(byte: number): void {
    if (this.#length === this.#buffer.length) this.#grow(1);
    this.#buffer[this.#length++] = byte;
  }

  /** Sends the buffer if it holds a whole chunk. The first part is sent at once. */
  async sendFull(): Promise<void> {
    if (this.#length >= chunkBytes || !this.#hasSent) await this.sendAll();
  }

  async sendAll(): Promise<void> {
    if (this.#length === 0) return;
    this.#hasSent = true;
    await this.#write(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
  }

  #grow(by: number): void {
    const buffer = Buffer.allocUnsafeSlow(2 * (this.#length + by));
    buffer.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = buffer;
  }
}
