import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { characterKeys, type KeyPress, keyGroups, pageActionOf } from "./keys.ts";

const press: KeyPress = {
  key: "/",
  hasModifier: false,
  isInText: false,
  isUsed: false,
  isOverlayOpen: false,
  hasCharacterKeys: true,
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

  it("are not those that type a character if these are switched off", () => {
    assert.deepEqual(characterKeys, ["/", "n", "p", "?"]);
    const off = { ...press, hasCharacterKeys: false };
    for (const key of characterKeys) assert.equal(pageActionOf({ ...off, key }), undefined);
    assert.equal(pageActionOf({ ...off, key: "Backspace" }), "parent");
    assert.equal(pageActionOf({ ...off, key: "Escape" }), "close");
  });

  it("all say what they do", () => {
    for (const { title, rows } of keyGroups) {
      assert.notEqual(title, "");
      for (const { does } of rows) assert.equal(typeof does, "string");
    }
  });
});
