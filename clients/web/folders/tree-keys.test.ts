import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { treeActionOf } from "./tree-keys.ts";
import type { TreeRow } from "./tree-rows.ts";
import { createTypeahead } from "./typeahead.ts";

function row(path: string, change: Partial<TreeRow> = {}): TreeRow {
  return {
    path,
    name: path.slice(path.lastIndexOf("/") + 1),
    level: path.split("/").length,
    position: 1,
    siblingCount: 1,
    isExpandable: false,
    isExpanded: false,
    isLoading: false,
    isMatch: false,
    totals: undefined,
    ...change,
  };
}

const rows = [
  row("/", { isExpandable: true, isExpanded: true }),
  row("/alpha", { isExpandable: true }),
  row("/beta", { isExpandable: true, isExpanded: true }),
  row("/beta/gamma"),
  row("/Åland"),
];

describe("keys in the tree", () => {
  const cases: [key: string, from: string, does: string][] = [
    ["ArrowDown", "/alpha", "focus /beta"],
    ["ArrowDown", "/Åland", "focus /Åland"],
    ["ArrowUp", "/beta", "focus /alpha"],
    ["ArrowUp", "/", "focus /"],
    ["Home", "/beta", "focus /"],
    ["End", "/", "focus /Åland"],
    ["PageDown", "/", "focus /Åland"],
    ["ArrowRight", "/alpha", "expand /alpha"],
    ["ArrowRight", "/beta", "focus /beta/gamma"],
    ["ArrowRight", "/beta/gamma", "nothing"],
    ["ArrowLeft", "/beta", "collapse /beta"],
    ["ArrowLeft", "/beta/gamma", "focus /beta"],
    ["ArrowLeft", "/alpha", "focus /"],
    [" ", "/alpha", "expand /alpha"],
    [" ", "/beta", "collapse /beta"],
    [" ", "/beta/gamma", "nothing"],
    ["Enter", "/beta/gamma", "open /beta/gamma"],
    ["x", "/", "nothing"],
    ["toString", "/", "nothing"],
  ];
  for (const [key, from, does] of cases) {
    it(`${key === " " ? "Space" : key} on ${from}: ${does}`, () => {
      const index = rows.findIndex(({ path }) => path === from);
      const action = treeActionOf(key, rows, index);
      assert.equal(action === undefined ? "nothing" : `${action.kind} ${action.path}`, does);
    });
  }
});

describe("letters in the tree", () => {
  it("move to the next name that begins with them, and around", () => {
    const typed = createTypeahead(() => 0);
    assert.equal(typed("b", rows, 0), "/beta");
    assert.equal(createTypeahead(() => 0)("b", rows, 4), "/beta");
    assert.equal(createTypeahead(() => 0)("z", rows, 0), undefined);
  });

  it("ignore case and accents", () => {
    assert.equal(createTypeahead(() => 0)("a", rows, 1), "/Åland");
    assert.equal(createTypeahead(() => 0)("A", rows, 4), "/alpha");
  });

  it("belong together if they are typed without a pause", () => {
    let nowMs = 0;
    const typed = createTypeahead(() => nowMs);
    assert.equal(typed("a", rows, 0), "/alpha");
    assert.equal(typed("l", rows, 1), "/alpha");
    assert.equal(typed("a", rows, 1), "/Åland");
    nowMs = 5000;
    assert.equal(typed("g", rows, 4), "/beta/gamma");
  });
});
