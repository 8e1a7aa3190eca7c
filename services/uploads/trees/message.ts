import { type DescField, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { TimestampSchema, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ByteWriter } from "@stowage/api/json/byte-writer";
import { tagOf, writeBinary } from "@stowage/api/json/write-binary";
import {
  FolderTreeNodeSchema,
  ListFolderTreeResponseSchema,
  RollupSchema,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import type { BucketCompleteness } from "../access/bucket-completeness.ts";
import { ApiError } from "../model/api-error.ts";
import { ByteBlocks } from "./byte-blocks.ts";
import { ancestorFields, type RowContent } from "./rows.ts";
import { rollupOf, type TreeNode, type TreeSink } from "./walk.ts";

/** The largest message. While its blocks are put together, it takes twice as much memory. */
const messageBytesMax = 128 * 1024 * 1024;

const { field: nodeFields } = FolderTreeNodeSchema;
const { field: responseFields } = ListFolderTreeResponseSchema;

/**
 * Encodes a tree as one binary message while it is read. Message objects would take many times the
 * memory, and encoding them at once would block other calls. Throws `ApiError` ANSWER_TOO_LARGE.
 */
export class TreeMessage implements TreeSink<RowContent> {
  readonly #content = new ByteBlocks();
  readonly #includeRollups: boolean;
  /** Of the bucket; set before the top folder closes. */
  completeness: BucketCompleteness = { completeAsOf: undefined, isPartial: false };
  readonly #openNodes: OpenNode[] = [];
  #depth = 0;

  constructor(includeRollups: boolean) {
    this.#includeRollups = includeRollups;
  }

  /** The length of the message so far. */
  get bytes(): number {
    return this.#content.bytes;
  }

  open({ content, isAncestorOnly, matchesFilter }: TreeNode<RowContent>): void {
    if (this.#depth > 0) {
      const { children } = this.#depth === 1 ? responseFields : nodeFields;
      this.#addVarints(tagOf(children.number, WireType.LengthDelimited));
      const length = this.#content.add(lengthBytes);
      this.#openNodes.push({ length, begin: this.bytes });
      const folder = isAncestorOnly
        ? writeBinary(FolderSchema, ancestorFields(content))
        : encode(FolderSchema, content);
      this.#add(nodeFields.folder, folder);
      if (matchesFilter) this.#addTrue(nodeFields.matchesFilter);
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
    if (node.truncated && this.#depth > 0) this.#addTrue(nodeFields.truncated);
    if (this.#depth === 0) this.#addCompleteness(this.completeness);
    const open = this.#openNodes.pop();
    if (open !== undefined) fillVarint(open.length, this.bytes - open.begin);
  }

  /**
   * The message, once the top folder has closed.
   *
   * @param afterBlock awaited after each piece of work.
   */
  finish(afterBlock: () => Promise<void>): Promise<Uint8Array<ArrayBuffer>> {
    return this.#content.takeAll(afterBlock);
  }

  #addCompleteness({ completeAsOf, isPartial }: BucketCompleteness): void {
    if (completeAsOf !== undefined) {
      const time = timestampFromDate(new Date(completeAsOf));
      this.#add(responseFields.completeAsOf, toBinary(TimestampSchema, time));
    }
    if (isPartial) this.#addTrue(responseFields.isPartial);
  }

  #add(field: DescField, bytes: Uint8Array): void {
    if (this.bytes + bytes.length > messageBytesMax) {
      const advice = "the tree is too large for one message; ask for less, or for JSON";
      throw new ApiError("ANSWER_TOO_LARGE", advice);
    }
    this.#addVarints(tagOf(field.number, WireType.LengthDelimited), bytes.length);
    this.#content.add(bytes.length).set(bytes);
  }

  #addTrue(field: DescField): void {
    this.#addVarints(tagOf(field.number, WireType.Varint), 1);
  }

  #addVarints(...values: readonly number[]): void {
    const out = new ByteWriter(headBytesMax);
    for (const value of values) out.varint(value);
    const bytes = out.bytes();
    this.#content.add(bytes.length).set(bytes);
  }
}

/** Two varints, each of at most ten bytes. */
const headBytesMax = 20;

/** A node to which something may still be added. */
interface OpenNode {
  /** Where its length is written when it closes. */
  readonly length: Uint8Array;
  /** The length of the message when it opened. */
  readonly begin: number;
}

/**
 * The bytes that are reserved for the length of a node. A small length fills them too, as protobuf
 * allows. Otherwise the content of all nodes would have to be moved, once for each level.
 */
const lengthBytes = 4;

/** Writes a varint that fills all bytes of `room`. */
function fillVarint(room: Uint8Array, value: number): void {
  let rest = value;
  for (let at = 0; at < room.length - 1; at++, rest >>>= 7) room[at] = (rest & 0x7f) | 0x80;
  room[room.length - 1] = rest;
}

function encode(schema: DescMessage, content: RowContent): Uint8Array {
  return writeBinary(schema, JSON.parse(content.toString()), content.length);
}
