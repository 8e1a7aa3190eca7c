import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  buildTree,
  type Totals,
  type TreeFolder,
  type TreeNode,
  type TreeOptions,
} from "./folder-tree.ts";
import { compareBytes } from "./key-range.ts";
import { treeKey } from "./tree-key.ts";

interface Given {
  bare?: string[];
  pathMatches?: string[];
  holdsMatch?: string[];
  options?: Partial<TreeOptions>;
  totals?: Record<string, Totals>;
}

const paths = ["/", "/a", "/a/b", "/a/b/c", "/a b", "/a-b", "/d", "/d/e"];

function build(given: Given): TreeNode<string> {
  const folders = paths.map(
    (path): TreeFolder<string> => ({
      key: treeKey(path),
      row: path,
      bare: given.bare?.includes(path) ?? false,
      pathMatches: given.pathMatches?.includes(path) ?? true,
      holdsMatch: given.holdsMatch?.includes(path) ?? true,
    }),
  );
  const totals = Object.entries(given.totals ?? {});
  return buildTree(
    folders.sort((left, right) => compareBytes(left.key, right.key)),
    new Map(totals.map(([path, total]) => [treeKey(path), total])),
    {
      hasPathFilter: given.pathMatches !== undefined,
      hasUploadFilter: given.holdsMatch !== undefined,
      onlyMatches: false,
      depthMax: 0,
      ...given.options,
    },
  );
}

/** The tree in one line: `*` is marked, `…` truncated. */
function draw(nodes: readonly TreeNode<string>[]): string {
  const drawn = nodes.map(({ row, marked, truncated, children }) => {
    const signs = `${marked ? "*" : ""}${truncated ? "…" : ""}`;
    const name = `${row.slice(row.lastIndexOf("/") + 1)}${signs}`;
    return children.length === 0 ? name : `${name}(${draw(children)})`;
  });
  return drawn.join(" ");
}

function drawTree(given: Given): string {
  return draw(build(given).children);
}

describe("buildTree()", () => {
  it("nests folders, siblings by name", () => {
    assert.equal(drawTree({}), "a(b(c)) a b a-b d(e)");
  });

  it("keeps what matches the path filter and what leads there, and marks the matches", () => {
    assert.equal(drawTree({ pathMatches: ["/a/b", "/d/e"] }), "a(b*) d(e*)");
  });

  it("marks what holds a match of the upload filter, and removes nothing", () => {
    assert.equal(drawTree({ holdsMatch: ["/a/b/c"] }), "a(b(c*)) a b a-b d(e)");
  });

  it("marks what satisfies both filters", () => {
    const given = { pathMatches: ["/a/b", "/d"], holdsMatch: ["/d", "/d/e"] };
    assert.equal(drawTree(given), "a(b) d*");
  });

  it("removes branches without a mark when only matches are asked for", () => {
    const options = { onlyMatches: true };
    assert.equal(drawTree({ holdsMatch: ["/a/b"], options }), "a(b*)");
    assert.equal(drawTree({ pathMatches: ["/a", "/d"], holdsMatch: ["/d"], options }), "d*");
    assert.equal(drawTree({ options }), "a(b(c)) a b a-b d(e)");
  });

  it("cuts at the depth limit, after the filters, and says where", () => {
    assert.equal(drawTree({ options: { depthMax: 1 } }), "a… a b a-b d…");
    assert.equal(drawTree({ options: { depthMax: 2 } }), "a(b…) a b a-b d(e)");
    assert.equal(drawTree({ pathMatches: ["/a/b/c"], options: { depthMax: 1 } }), "a…");
  });

  it("keeps bare folders only where they lead to others, and never marks them", () => {
    assert.equal(drawTree({ bare: ["/a", "/d", "/d/e"] }), "a(b(c)) a b a-b");
    assert.equal(drawTree({ bare: ["/a"], pathMatches: ["/a", "/a/b/c"] }), "a(b(c*))");
  });

  it("lists uploads where the path filter holds and the caller may look", () => {
    const top = build({ bare: ["/a"], pathMatches: ["/", "/a", "/a/b"] });
    const [a] = top.children;
    assert.deepEqual(
      [top, a, a?.children[0]].map((node) => node?.listsUploads),
      [true, false, true],
    );
  });

  it("adds totals up over the whole subtree, also of folders that the filters removed", () => {
    const one = { uploadCount: 1n, sizeBytes: 10n };
    const totals = { "/": one, "/a/b": one, "/a/b/c": one, "/d": one };
    const top = build({ totals, pathMatches: ["/a"], options: { depthMax: 1 } });
    const [a] = top.children;
    assert.deepEqual(top.subtree, { uploadCount: 4n, sizeBytes: 40n });
    assert.deepEqual(top.own, one);
    assert.deepEqual(a?.subtree, { uploadCount: 2n, sizeBytes: 20n });
    assert.deepEqual(a?.own, { uploadCount: 0n, sizeBytes: 0n });
  });
});
