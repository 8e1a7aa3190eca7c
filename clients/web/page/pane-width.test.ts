import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { draggedWidth, fittingWidth, keptWidth, widthAfterKey } from "./pane-width.ts";

describe("the width of the folders", () => {
  it("is what was kept, within its limits", () => {
    assert.equal(keptWidth("240"), 240);
    assert.equal(keptWidth("9999"), 640);
    assert.equal(keptWidth("1"), 180);
  });

  it("is the default if nothing usable was kept", () => {
    assert.equal(keptWidth(null), 300);
    assert.equal(keptWidth("wide"), 300);
  });

  it("follows the pointer and the keys, also from right to left", () => {
    const from = { widthPx: 300, maxPx: 640, isRtl: false };
    assert.equal(draggedWidth(300, -40, 640), 260);
    assert.equal(draggedWidth(300, -400, 640), 180);
    assert.equal(widthAfterKey("ArrowRight", from), 320);
    assert.equal(widthAfterKey("ArrowRight", { ...from, isRtl: true }), 280);
    assert.equal(widthAfterKey("End", from), 640);
    assert.equal(widthAfterKey("Enter", { ...from, widthPx: 420 }), 300);
    assert.equal(widthAfterKey("x", from), undefined);
  });

  it("leaves room for the list and the panel", () => {
    assert.equal(fittingWidth(1440, true), 640);
    assert.equal(fittingWidth(861, true), 181);
    assert.equal(fittingWidth(861, false), 561);
    assert.equal(fittingWidth(701, true), 180);
    assert.equal(draggedWidth(181, 40, 181), 181);
    assert.equal(widthAfterKey("ArrowRight", { widthPx: 181, maxPx: 181, isRtl: false }), 181);
    assert.equal(widthAfterKey("End", { widthPx: 181, maxPx: 300, isRtl: false }), 300);
  });
});
