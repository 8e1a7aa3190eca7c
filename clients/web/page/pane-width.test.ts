import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { draggedWidth, keepPaneWidth, readPaneWidth, widthAfterKey } from "./pane-width.ts";

function storageWith(text: string | null) {
  return { getItem: () => text };
}

describe("the width of the folders", () => {
  it("is what was kept, within its limits", () => {
    assert.equal(readPaneWidth(storageWith("240")), 240);
    assert.equal(readPaneWidth(storageWith("9999")), 640);
    assert.equal(readPaneWidth(storageWith("1")), 180);
  });

  it("is the default if nothing usable was kept, or the browser keeps nothing", () => {
    assert.equal(readPaneWidth(storageWith(null)), 300);
    assert.equal(readPaneWidth(storageWith("wide")), 300);
    const refuse = () => {
      throw new Error("refused");
    };
    assert.equal(readPaneWidth({ getItem: refuse }), 300);
    assert.doesNotThrow(() => keepPaneWidth({ setItem: refuse }, 300));
  });

  it("follows the pointer and the keys, also from right to left", () => {
    assert.equal(draggedWidth(300, -40), 260);
    assert.equal(draggedWidth(300, -400), 180);
    assert.equal(widthAfterKey("ArrowRight", 300, false), 320);
    assert.equal(widthAfterKey("ArrowRight", 300, true), 280);
    assert.equal(widthAfterKey("End", 300, false), 640);
    assert.equal(widthAfterKey("Enter", 420, false), 300);
    assert.equal(widthAfterKey("x", 300, false), undefined);
  });
});
