import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type FolderTreeNodeSchema,
  ListFolderTreeResponseSchema,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { type TreeLinesOptions, treeLines } from "./tree-lines.ts";

type Tree = MessageInitShape<typeof ListFolderTreeResponseSchema>;
type Node = MessageInitShape<typeof FolderTreeNodeSchema>;

function draw(tree: Tree, options: Partial<TreeLinesOptions> = {}): string[] {
  const message = create(ListFolderTreeResponseSchema, tree);
  const all = { top: "/", includeUploads: false, isFiltered: false, ...options };
  return Array.from(treeLines(message, all)).join("").split("\n");
}

function folder(path: string, more: Omit<Node, "folder"> = {}): Node {
  return { folder: { path }, ...more } as Node;
}

describe("treeLines()", () => {
  it("draws folders in one another, and counts them", () => {
    const children = [folder("/a", { children: [folder("/a/b"), folder("/a/c")] }), folder("/d")];
    assert.deepEqual(draw({ children }), [
      "/",
      "├── a/",
      "│   ├── b/",
      "│   └── c/",
      "└── d/",
      "",
      "4 folders",
      "",
    ]);
  });

  it("draws uploads after the folders beside them", () => {
    const children = [folder("/a", { uploads: [{ filename: "x" }, { filename: "y" }] })];
    assert.deepEqual(draw({ children, uploads: [{ filename: "z" }] }, { includeUploads: true }), [
      "/",
      "├── a/",
      "│   ├── x",
      "│   └── y",
      "└── z",
      "",
      "1 folder, 3 uploads",
      "",
    ]);
  });

  it("shows which folders are marked and which are truncated", () => {
    const children = [folder("/p/a", { matchesFilter: true, truncated: true })];
    assert.deepEqual(draw({ children }, { top: "/p", isFiltered: true }), [
      "/p",
      "└── a/ … *",
      "",
      "1 folder, 1 marked",
      "",
    ]);
  });

  it("shows totals that include the uploads below a folder", () => {
    const rollup = { subtreeUploadCount: 1234n, subtreeSizeBytes: 2048n };
    const lines = draw({ children: [folder("/a", { rollup })], rollup });
    assert.deepEqual(lines.slice(0, 2), [
      "/  (1,234 uploads, 2.0 KiB)",
      "└── a/  (1,234 uploads, 2.0 KiB)",
    ]);
  });

  it("makes control characters in names visible", () => {
    const lines = draw({ children: [folder("/\u001b[2J")], uploads: [{ filename: "\n" }] });
    assert.deepEqual(lines.slice(1, 3), ["├── \\u{1b}[2J/", "└── \\n"]);
  });

  it("draws an empty tree", () => {
    assert.deepEqual(draw({}), ["/", "", "0 folders", ""]);
  });

  it("draws 512 levels", () => {
    let node = folder("/deepest");
    for (let level = 1; level < 512; level++) node = folder("/x", { children: [node] });
    const lines = draw({ children: [node] });
    assert.equal(lines.at(-2), "512 folders");
    assert.equal(lines[512], `${"    ".repeat(511)}└── deepest/`);
  });
});
