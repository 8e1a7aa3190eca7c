import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { writeBinary } from "@stowage/api/json/write-binary";
import {
  FolderTreeNodeSchema,
  ListFolderTreeResponseSchema,
  RollupSchema,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { ApiError } from "../model/api-error.ts";
import { bareFolder, type RowContent } from "./tree-rows.ts";
import { rollupOf, type TreeNode, type TreeSink } from "./tree-walk.ts";

/** The largest message. Until it is sent, it takes several times as much memory. */
const messageBytesMax = 128 * 1024 * 1024;

const { field: nodeFields } = FolderTreeNodeSchema;
const { field: responseFields } = ListFolderTreeResponseSchema;

/**
 * Encodes a tree as one binary message while it is read. Message objects would take many times the
 * memory, and encoding them at once would block other calls. Throws `ApiError` ANSWER_TOO_LARGE.
 */
export class TreeMessage implements TreeSink<RowContent> {
  readonly #writer = new BinaryWriter();
  readonly #includeRollups: boolean;
  #depth = 0;
  /** The bytes so far, without tags and the lengths of open nodes. */
  #bytes = 0;

  constructor(includeRollups: boolean) {
    this.#includeRollups = includeRollups;
  }

  open({ content, bare, matchesFilter }: TreeNode<RowContent>): void {
    if (this.#depth > 0) {
      const { children } = this.#depth === 1 ? responseFields : nodeFields;
      this.#writer.tag(children.number, WireType.LengthDelimited).fork();
      const folder = bare
        ? writeBinary(FolderSchema, bareFolder(content.document))
        : encode(FolderSchema, content);
      this.#add(nodeFields.folder, folder);
      if (matchesFilter) this.#set(nodeFields.matchesFilter);
    }
    this.#depth += 1;
  }

  upload(content: RowContent): void {
    const { uploads } = this.#depth === 1 ? responseFields : nodeFields;
    this.#add(uploads, encode(UploadSchema, content));
  }

  close(node: TreeNode<RowContent>): void {
    this.#depth -= 1;
    const { rollup } = this.#depth === 0 ? responseFields : nodeFields;
    if (this.#includeRollups) this.#add(rollup, writeBinary(RollupSchema, rollupOf(node)));
    if (this.#depth === 0) return;
    if (node.truncated) this.#set(nodeFields.truncated);
    this.#writer.join();
  }

  /** The message, once the top folder has closed. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#writer.finish();
  }

  #add(field: DescField, bytes: Uint8Array) {
    this.#bytes += bytes.length;
    if (this.#bytes > messageBytesMax) {
      const advice = "the tree is too large for one message; ask for less, or for JSON";
      throw new ApiError("ANSWER_TOO_LARGE", advice);
    }
    this.#writer.tag(field.number, WireType.LengthDelimited).bytes(bytes);
  }

  #set(field: DescField): void {
    this.#writer.tag(field.number, WireType.Varint).bool(true);
  }
}

function encode(schema: DescMessage, { document, members }: RowContent): Uint8Array {
  const text = `${document.toString("utf8", 0, document.length - 1)}${members ?? ""}}`;
  return writeBinary(schema, JSON.parse(text), text.length);
}
