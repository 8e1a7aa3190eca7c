import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create, fromBinary } from "@bufbuild/protobuf";
import { writeJson } from "@stowage/api/json/write-json";
import { ListFolderTreeResponseSchema } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { ApiError } from "../model/api-error.ts";
import { TreeMessage } from "./message.ts";
import type { RowContent } from "./rows.ts";
import type { TreeNode } from "./walk.ts";

const totals = { uploadCount: 1, sizeBytes: 2 };

function node(path: string, options: Partial<TreeNode<RowContent>> = {}): TreeNode<RowContent> {
  const folder = writeJson(FolderSchema, create(FolderSchema, { path }));
  const content = Buffer.from(JSON.stringify(folder));
  const state = { isAncestorOnly: false, matchesFilter: false, truncated: false };
  return { content, ...state, ownTotals: totals, subtreeTotals: totals, ...options };
}

function upload(filename: string): RowContent {
  return Buffer.from(JSON.stringify(writeJson(UploadSchema, create(UploadSchema, { filename }))));
}

async function received(tree: TreeMessage) {
  return fromBinary(ListFolderTreeResponseSchema, await tree.finish(async () => undefined));
}

describe("TreeMessage", () => {
  it("encodes the tree", async () => {
    const [top, a, b] = [
      node("/"),
      node("/a", { matchesFilter: true }),
      node("/a/b", { truncated: true }),
    ];
    const tree = new TreeMessage(true);
    tree.open(top);
    tree.upload(upload("1"));
    tree.open(a);
    tree.upload(upload("2"));
    tree.open(b);
    tree.close(b);
    tree.close(a);
    tree.close(top);

    const message = await received(tree);
    assert.deepEqual(
      message.uploads.map(({ filename }) => filename),
      ["1"],
    );
    assert.equal(message.rollup?.subtreeSizeBytes, 2n);
    const [first, ...others] = message.children;
    assert.equal(others.length, 0);
    assert.equal(first?.folder?.path, "/a");
    assert.equal(first.matchesFilter, true);
    assert.equal(first.truncated, false);
    assert.equal(first.uploads[0]?.filename, "2");
    assert.equal(first.children[0]?.folder?.path, "/a/b");
    assert.equal(first.children[0].truncated, true);
    assert.equal(first.children[0].rollup?.uploadCount, 1n);
    assert.equal(message.$unknown, undefined);
  });

  it("is empty when the top folder is empty", async () => {
    const tree = new TreeMessage(false);
    tree.open(node("/"));
    tree.close(node("/"));
    assert.deepEqual(await received(tree), create(ListFolderTreeResponseSchema));
  });

  it("encodes folders of any size at any depth, in pieces of bounded work", async () => {
    const paths = Array.from({ length: 90 }, (_, depth) => `/${"a".repeat(2 ** (depth % 23))}`);
    const tree = new TreeMessage(false);
    tree.open(node("/"));
    for (const path of paths) tree.open(node(path));
    for (const path of paths) tree.close(node(path));
    tree.close(node("/"));
    const { bytes } = tree;
    let pieces = 0;
    const all = await tree.finish(async () => {
      pieces += 1;
    });
    assert.equal(all.length, bytes);
    assert.ok(pieces > 20);
    let { children } = fromBinary(ListFolderTreeResponseSchema, all);
    for (const path of paths) {
      assert.equal(children.length, 1);
      assert.equal(children[0]?.folder?.path, path);
      children = children[0].children;
    }
  });

  it("refuses a tree that is too large for a message", () => {
    const tree = new TreeMessage(false);
    tree.open(node("/"));
    const large = node(`/${"a".repeat(16 * 1024 * 1024)}`);
    const addLarge = () => {
      tree.open(large);
      tree.close(large);
    };
    for (let count = 0; count < 7; count++) addLarge();
    assert.throws(addLarge, new ApiError("ANSWER_TOO_LARGE", anyMessage));
  });
});

const anyMessage = "the tree is too large for one message; ask for less, or for JSON";
