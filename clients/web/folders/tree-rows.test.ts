import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FolderLevel } from "./folder-level.ts";
import { nameOf } from "./folder-path.ts";
import { openFoldersOf, rowsOf, type Tree } from "./tree-rows.ts";

const totals = { uploadCount: 2, sizeBytes: 10 };

/** Levels from lines such as `/a: b+ c*`: `+` has folders inside, `*` matches the filter. */
function treeOf(lines: readonly string[], change: Partial<Tree> = {}): Tree {
  const levels = new Map<string, FolderLevel>();
  for (const line of lines) {
    const [path = "", names = ""] = line.split(": ");
    const folders = names.split(" ").map((text) => {
      const name = text.replace(/[+*]/g, "");
      const below = path === "/" ? `/${name}` : `${path}/${name}`;
      const hasFolders = text.includes("+");
      return { path: below, name, hasFolders, isMatch: text.includes("*"), totals };
    });
    levels.set(path, { folders, totals });
  }
  const levelOf = (path: string) => levels.get(path);
  return { levelOf, toggled: new Map(), isFiltered: false, ...change };
}

/** The rows as one sees them: indented, `▾` open, `▸` closed, `…` waiting. */
function drawn(tree: Tree): readonly string[] {
  return rowsOf(tree, openFoldersOf(tree)).map((row) => {
    const indent = " ".repeat(row.level - 1);
    const sign = row.isExpanded ? "▾" : "▸";
    const wait = row.isLoading ? "…" : "";
    return `${indent}${row.isExpandable ? sign : "·"}${nameOf(row.path) || "/"}${wait}`;
  });
}

describe("the rows of the tree", () => {
  const lines = ["/: a+ b", "/a: c+ d", "/a/c: e"];

  it("begin with the root, which is open", () => {
    assert.deepEqual(drawn(treeOf(lines)), ["▾/", " ▸a", " ·b"]);
    assert.deepEqual(drawn(treeOf(lines, { toggled: new Map([["/", false]]) })), ["▸/"]);
    assert.deepEqual(drawn(treeOf([])), ["▾/…"]);
  });

  it("contain what the reader opened, in its place", () => {
    const toggled = new Map([
      ["/a", true],
      ["/a/c", true],
    ]);
    assert.deepEqual(drawn(treeOf(lines, { toggled })), [
      "▾/",
      " ▾a",
      "  ▾c",
      "   ·e",
      "  ·d",
      " ·b",
    ]);
    const closed = new Map([...toggled, ["/a", false] as const]);
    assert.deepEqual(drawn(treeOf(lines, { toggled: closed })), ["▾/", " ▸a", " ·b"]);
  });

  it("wait for levels that are not here yet", () => {
    const toggled = new Map([["/a", true]]);
    assert.deepEqual(drawn(treeOf(["/: a+ b"], { toggled })), ["▾/", " ▾a…", " ·b"]);
  });

  it("say where each is among its siblings, and its totals", () => {
    const tree = treeOf(lines);
    const rows = rowsOf(tree, openFoldersOf(tree));
    assert.deepEqual(
      rows.map(({ level, position, siblingCount }) => [level, position, siblingCount]),
      [
        [1, 1, 1],
        [2, 1, 2],
        [2, 2, 2],
      ],
    );
    assert.deepEqual(rows[1]?.totals, totals);
  });

  it("open by themselves as far as the first match", () => {
    const filtered = ["/: a+ b+*", "/a: c+*", "/a/c: e*", "/b: f*"];
    assert.deepEqual(drawn(treeOf(filtered, { isFiltered: true })), ["▾/", " ▾a", "  ▸c", " ▸b"]);
    const toggled = new Map([["/b", true]]);
    assert.deepEqual(drawn(treeOf(filtered, { isFiltered: true, toggled })).slice(-2), [
      " ▾b",
      "  ·f",
    ]);
  });

  it("open by themselves only where no call is needed", () => {
    const filtered = ["/: a+ b+", "/b: c*"];
    assert.deepEqual(drawn(treeOf(filtered, { isFiltered: true })), ["▾/", " ▸a", " ▾b", "  ·c"]);
  });

  it("are 10,000 in a moment", () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `n${index}`);
    assert.equal(drawn(treeOf([`/: ${names.join(" ")}`])).length, 10_001);
  });
});
