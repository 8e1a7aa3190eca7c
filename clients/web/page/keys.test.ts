import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type KeyPress, keyGroups, pageActionOf } from "./keys.ts";

const press: KeyPress = {
  key: "/",
  hasModifier: false,
  isInText: false,
  isUsed: false,
  isOverlayOpen: false,
};

describe("the keys of the page", () => {
  it("act wherever the focus is", () => {
    assert.equal(pageActionOf(press), "search");
    assert.equal(pageActionOf({ ...press, key: "Backspace" }), "parent");
    assert.equal(pageActionOf({ ...press, key: "?" }), "keys");
    assert.equal(pageActionOf({ ...press, key: "n" }), "next");
    assert.equal(pageActionOf({ ...press, key: "p" }), "previous");
    assert.equal(pageActionOf({ ...press, key: "x" }), undefined);
    assert.equal(pageActionOf({ ...press, key: "constructor" }), undefined);
  });

  it("are ordinary letters where text is typed, except Escape", () => {
    for (const key of ["/", "?", "n", "Backspace"]) {
      assert.equal(pageActionOf({ ...press, key, isInText: true }), undefined);
    }
    assert.equal(pageActionOf({ ...press, key: "Escape", isInText: true }), "close");
  });

  it("are left to browsers, controls and open menus that use them", () => {
    for (const change of [{ hasModifier: true }, { isUsed: true }, { isOverlayOpen: true }]) {
      assert.equal(pageActionOf({ ...press, ...change, key: "Escape" }), undefined);
    }
  });

  it("all say what they do", () => {
    for (const { title, rows } of keyGroups) {
      assert.notEqual(title, "");
      for (const { does } of rows) assert.equal(typeof does, "string");
    }
  });
});
