import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { namePattern } from "../model/name-pattern.ts";
import { treeKey } from "../model/tree-key.ts";
import { compareBytes } from "../model/tree-key-range.ts";
import type { TreeFilters } from "./request.ts";
import { type Totals, type TreeNode, TreeWalk } from "./walk.ts";

interface Given {
  onlyAncestors?: string[];
  pathMatches?: string[];
  withMatchingUpload?: string[];
  options?: Partial<TreeFilters>;
  totals?: Record<string, Totals>;
  uploads?: Record<string, string>;
}

/** Only whether there is a filter matters to the walk. */
const anyName = namePattern("contains", "", false);

const paths = ["/", "/a", "/a/b", "/a/b/c", "/a b", "/a-b", "/d", "/d/e"];

interface Drawing {
  /** The tree in one line: `*` matches the filter, `…` truncated, `'x'` an upload. */
  text: string;
  /** The nodes, as they were when they closed. */
  nodes: Map<string, TreeNode<string>>;
}

function draw(given: Given): Drawing {
  const drawing: Drawing = { text: "", nodes: new Map() };
  const walk = new TreeWalk<string>(
    {
      path: given.pathMatches && anyName,
      upload: given.withMatchingUpload && anyName,
      onlyMatches: false,
      depthMax: 0,
      ...given.options,
    },
    {
      open({ content, matchesFilter }) {
        drawing.text += `(${content.split("/").at(-1)}${matchesFilter ? "*" : ""}`;
      },
      upload(upload) {
        drawing.text += `'${upload}'`;
      },
      close(node) {
        drawing.text += node.truncated ? "…)" : ")";
        drawing.nodes.set(node.content, node);
      },
    },
    (content) => content,
  );
  for (const path of paths.toSorted((a, b) => compareBytes(treeKey(a), treeKey(b)))) {
    walk.folder({
      key: new TextEncoder().encode(treeKey(path)),
      content: path,
      isAncestorOnly: given.onlyAncestors?.includes(path) ?? false,
      pathMatches: given.pathMatches?.includes(path) ?? true,
      hasMatchingUpload: given.withMatchingUpload?.includes(path) ?? true,
      ownTotals: given.totals?.[path] ?? { uploadCount: 0, sizeBytes: 0 },
    });
    for (const upload of given.uploads?.[path] ?? "") walk.upload(upload);
  }
  walk.end();
  return drawing;
}

/** The drawing without the brackets of the top folder. */
const drawTree = (given: Given) => draw(given).text.slice(1, -1);

describe("TreeWalk", () => {
  it("nests folders, siblings by name", () => {
    assert.equal(drawTree({}), "(a(b(c)))(a b)(a-b)(d(e))");
  });

  it("keeps matches of the path filter and their ancestors, and marks the matches", () => {
    assert.equal(drawTree({ pathMatches: ["/a/b", "/d/e"] }), "(a(b*))(d(e*))");
  });

  it("marks folders with a match of the upload filter, and removes nothing", () => {
    assert.equal(drawTree({ withMatchingUpload: ["/a/b/c"] }), "(a(b(c*)))(a b)(a-b)(d(e))");
  });

  it("marks folders that satisfy both filters", () => {
    const given = { pathMatches: ["/a/b", "/d"], withMatchingUpload: ["/d", "/d/e"] };
    assert.equal(drawTree(given), "(a(b))(d*)");
  });

  it("marks the top folder like any other, and always shows it", () => {
    assert.equal(draw({ pathMatches: ["/"] }).text, "(*)");
    assert.equal(draw({ pathMatches: [] }).text, "()");
    assert.equal(draw({ onlyAncestors: paths }).text, "()");
  });

  it("removes branches without a mark when only matches are requested", () => {
    const options = { onlyMatches: true };
    assert.equal(drawTree({ withMatchingUpload: ["/a/b"], options }), "(a(b*))");
    assert.equal(
      drawTree({ pathMatches: ["/a", "/d"], withMatchingUpload: ["/d"], options }),
      "(d*)",
    );
    assert.equal(drawTree({ options }), "(a(b(c)))(a b)(a-b)(d(e))");
  });

  it("applies the depth limit after the filters, and marks truncated folders", () => {
    assert.equal(drawTree({ options: { depthMax: 1 } }), "(a…)(a b)(a-b)(d…)");
    assert.equal(drawTree({ options: { depthMax: 2 } }), "(a(b…))(a b)(a-b)(d(e))");
    assert.equal(drawTree({ pathMatches: ["/a/b/c"], options: { depthMax: 1 } }), "(a…)");
    assert.equal(drawTree({ pathMatches: ["/a"], options: { depthMax: 1 } }), "(a*)");
  });

  it("keeps folders above locations only if they lead to others, and never marks them", () => {
    assert.equal(drawTree({ onlyAncestors: ["/a", "/d", "/d/e"] }), "(a(b(c)))(a b)(a-b)");
    assert.equal(drawTree({ onlyAncestors: ["/a"], pathMatches: ["/a", "/a/b/c"] }), "(a(b(c*)))");
  });

  it("shows uploads if the path filter matches and the caller may see the folder", () => {
    const uploads = Object.fromEntries(paths.map((path) => [path, path.at(-1) ?? ""]));
    const given = { onlyAncestors: ["/a"], pathMatches: ["/", "/a", "/a/b"], uploads };
    assert.equal(draw(given).text, "(*'/'(a(b*'b')))");
    assert.equal(draw({ ...given, options: { depthMax: 1 } }).text, "(*'/'(a…))");
    assert.equal(draw({ uploads, pathMatches: ["/d"] }).text, "((d*'d'))");
  });

  it("shows uploads one by one, before the children of their folder", () => {
    const uploads = { "/a": "xyz", "/a/b": "z" };
    assert.equal(
      drawTree({ uploads, options: { depthMax: 2 } }).slice(0, 22),
      "(a'x''y''z'(b'z'…))(a ",
    );
  });

  it("adds up totals of the whole subtree, including folders that the filters removed", () => {
    const one = { uploadCount: 1, sizeBytes: 10 };
    const totals = { "/": one, "/a/b": one, "/a/b/c": one, "/d": one };
    const { nodes } = draw({ totals, pathMatches: ["/a"], options: { depthMax: 1 } });
    assert.deepEqual(nodes.get("/")?.subtreeTotals, { uploadCount: 4, sizeBytes: 40 });
    assert.deepEqual(nodes.get("/")?.ownTotals, one);
    assert.deepEqual(nodes.get("/a")?.subtreeTotals, { uploadCount: 2, sizeBytes: 20 });
    assert.deepEqual(nodes.get("/a")?.ownTotals, { uploadCount: 0, sizeBytes: 0 });
  });

  it("needs the top folder", () => {
    const noFilter = { path: undefined, upload: undefined, onlyMatches: false, depthMax: 0 };
    const sink = { open() {}, upload() {}, close() {} };
    assert.throws(() => new TreeWalk(noFilter, sink, String).end(), RangeError);
  });
});
