import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ListKeyPress, listActionOf } from "./list-keys.ts";

const place = { active: 5, rowCount: 100, viewRows: 20, hasSelection: false };

function actionOf(press: Partial<ListKeyPress>, change: Partial<typeof place> = {}) {
  const none = { key: "", shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
  return listActionOf({ ...none, ...press }, { ...place, ...change });
}

describe("keys in the list", () => {
  const moves: Record<string, number> = {
    ArrowDown: 6,
    ArrowUp: 4,
    PageDown: 24,
    PageUp: 0,
    Home: 0,
    End: 99,
  };
  for (const [key, to] of Object.entries(moves)) {
    it(`${key} moves from row 5 to row ${to}, and with Shift selects the rows between`, () => {
      assert.deepEqual(actionOf({ key }), { kind: "move", to, isExtending: false });
      assert.deepEqual(actionOf({ key, shiftKey: true }), { kind: "move", to, isExtending: true });
    });
  }

  it("stay in the list", () => {
    const last = { kind: "move", to: 99, isExtending: false };
    assert.deepEqual(actionOf({ key: "ArrowDown" }, { active: 99 }), last);
    assert.equal(actionOf({ key: "ArrowDown" }, { rowCount: 0 }), undefined);
  });

  it("open with Enter and select with Space", () => {
    assert.deepEqual(actionOf({ key: "Enter" }), { kind: "open" });
    assert.deepEqual(actionOf({ key: " " }), { kind: "toggle" });
  });

  it("clear the selection with Escape, which else belongs to the page", () => {
    assert.deepEqual(actionOf({ key: "Escape" }, { hasSelection: true }), { kind: "clear" });
    assert.equal(actionOf({ key: "Escape" }), undefined);
  });

  it("leave the keys of the page and the browser alone", () => {
    for (const key of ["Backspace", "/", "?", "Tab", "a", "constructor"]) {
      assert.equal(actionOf({ key }), undefined);
    }
    assert.equal(actionOf({ key: "ArrowUp", altKey: true }), undefined);
    assert.equal(actionOf({ key: "Enter", ctrlKey: true }), undefined);
  });
});
