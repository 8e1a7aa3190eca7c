import { create, type DescMessage, fromJson, type MessageShape } from "@bufbuild/protobuf";
import {
  type FolderTreeNode,
  FolderTreeNodeSchema,
  type ListFolderTreeResponse,
  ListFolderTreeResponseSchema,
  type Rollup,
  RollupSchema,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import type { Totals, TreeNode, TreeSink } from "../domain/folder-tree.ts";
import { Refusal } from "../domain/refusal.ts";
import type { RowContent } from "../store/tree-rows.ts";
import { bareFolder } from "./bare-folder.ts";

/** Of the rows in one message, which takes several times as much memory until it is sent. */
const documentBytesMax = 256 * 1024 * 1024;

/** Makes one message of a tree. Throws `Refusal` ANSWER_TOO_LARGE for what it cannot hold. */
export class TreeMessage implements TreeSink<RowContent> {
  readonly response: ListFolderTreeResponse = create(ListFolderTreeResponseSchema);
  readonly #includeRollups: boolean;
  /** The folders that are open. */
  readonly #open: (ListFolderTreeResponse | FolderTreeNode)[] = [];
  #documentBytes = 0;

  constructor(includeRollups: boolean) {
    this.#includeRollups = includeRollups;
  }

  open({ content, bare, marked }: TreeNode<RowContent>): void {
    const above = this.#open.at(-1);
    if (above === undefined) {
      this.#open.push(this.response);
      return;
    }
    const node = create(FolderTreeNodeSchema, {
      folder: bare ? bareFolder(content.document) : this.#messageOf(FolderSchema, content),
      matchesFilter: marked,
    });
    above.children.push(node);
    this.#open.push(node);
  }

  upload(upload: RowContent): void {
    this.#open.at(-1)?.uploads.push(this.#messageOf(UploadSchema, upload));
  }

  close({ truncated, own, subtree }: TreeNode<RowContent>): void {
    const message = this.#open.pop();
    if (message === undefined) return;
    if (this.#includeRollups) message.rollup = rollupOf(own, subtree);
    if ("truncated" in message) message.truncated = truncated;
  }

  #messageOf<Desc extends DescMessage>(schema: Desc, content: RowContent): MessageShape<Desc> {
    const { document, members } = content;
    this.#documentBytes += document.length;
    if (this.#documentBytes > documentBytesMax) {
      const message = "the tree is too large for one message; ask for less, or for JSON";
      throw new Refusal("ANSWER_TOO_LARGE", message);
    }
    const text = `${document.toString("utf8", 0, document.length - 1)}${members ?? ""}}`;
    return fromJson(schema, JSON.parse(text));
  }
}

function rollupOf(own: Totals, subtree: Totals): Rollup {
  return create(RollupSchema, {
    uploadCount: BigInt(own.uploadCount),
    sizeBytes: BigInt(own.sizeBytes),
    subtreeUploadCount: BigInt(subtree.uploadCount),
    subtreeSizeBytes: BigInt(subtree.sizeBytes),
  });
}
