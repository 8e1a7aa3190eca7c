import { bareFolderJson } from "./bare-folder.ts";
import type { ChunkWriter } from "./chunk-writer.ts";
import type { RowContent } from "./tree-rows.ts";
import type { Totals, TreeNode, TreeSink } from "./tree-walk.ts";

/**
 * Writes a tree as the contract's JSON while it goes by. The members of a node come in the order in
 * which they are known: its folder, its uploads, its children, and how it ended.
 */
export class TreeJson implements TreeSink<RowContent> {
  readonly #chunks: ChunkWriter;
  readonly #includeRollups: boolean;
  #depth = 0;
  /** Nothing but uploads has come since the current folder opened. */
  #isInUploads = false;
  #isFirstUpload = true;

  constructor(chunks: ChunkWriter, includeRollups: boolean) {
    this.#chunks = chunks;
    this.#includeRollups = includeRollups;
  }

  open({ content, bare, marked }: TreeNode<RowContent>): void {
    if (this.#depth === 0) {
      this.#chunks.add(topStart);
    } else {
      this.#chunks.add(this.#isInUploads ? firstChild : nextChild);
      if (bare) this.#chunks.add(bareFolderJson(content.document));
      else this.#addContent(content);
      this.#chunks.add(marked ? markedStart : unmarkedStart);
    }
    this.#depth += 1;
    this.#isInUploads = true;
    this.#isFirstUpload = true;
  }

  upload(upload: RowContent): void {
    if (!this.#isFirstUpload) this.#chunks.add(comma);
    this.#isFirstUpload = false;
    this.#addContent(upload);
  }

  close({ truncated, own, subtree }: TreeNode<RowContent>): void {
    this.#depth -= 1;
    this.#chunks.add(this.#isInUploads ? noChildren : lastChild);
    this.#isInUploads = false;
    if (this.#depth > 0) this.#chunks.add(truncated ? cut : whole);
    if (this.#includeRollups) this.#chunks.add(rollupMember(own, subtree));
    this.#chunks.add(end);
  }

  #addContent({ document, members }: RowContent): void {
    if (members === undefined) {
      this.#chunks.add(document);
      return;
    }
    this.#chunks.add(document.subarray(0, -end.length));
    this.#chunks.add(members);
    this.#chunks.add(end);
  }
}

const topStart = Buffer.from('{"uploads":[');
const firstChild = Buffer.from('],"children":[{"folder":');
const nextChild = Buffer.from(',{"folder":');
const markedStart = Buffer.from(',"matchesFilter":true,"uploads":[');
const unmarkedStart = Buffer.from(',"matchesFilter":false,"uploads":[');
const comma = Buffer.from(",");
const noChildren = Buffer.from('],"children":[]');
const lastChild = Buffer.from("]");
const cut = Buffer.from(',"truncated":true');
const whole = Buffer.from(',"truncated":false');
const end = Buffer.from("}");

function rollupMember(own: Totals, subtree: Totals): Uint8Array {
  const rollup = {
    uploadCount: own.uploadCount,
    sizeBytes: own.sizeBytes,
    subtreeUploadCount: subtree.uploadCount,
    subtreeSizeBytes: subtree.sizeBytes,
  };
  return Buffer.from(`,"rollup":${JSON.stringify(rollup)}`);
}
