import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keepSetting, readSetting } from "./kept-settings.ts";

function installStorage(storage: Pick<Storage, "getItem" | "setItem"> | null): void {
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
}

function refuse(): never {
  throw new Error("refused");
}

describe("a setting", () => {
  it("is kept by the browser", () => {
    const kept = new Map<string, string>();
    installStorage({
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, text) => kept.set(name, text),
    });
    assert.equal(readSetting("keys"), null);
    keepSetting("keys", "off");
    assert.equal(readSetting("keys"), "off");
    assert.deepEqual([...kept], [["keys", "off"]]);
  });

  it("lasts as long as the page if the browser has no storage, or refuses to use it", () => {
    for (const storage of [null, { getItem: refuse, setItem: refuse }]) {
      installStorage(storage);
      const name = `in ${storage === null ? "no" : "full"} storage`;
      assert.equal(readSetting(name), null);
      keepSetting(name, "off");
      assert.equal(readSetting(name), "off");
    }
  });

  it("is read from the browser again once that keeps it", () => {
    installStorage(null);
    keepSetting("keys", "off");
    installStorage({ getItem: () => "on", setItem: () => undefined });
    keepSetting("keys", "on");
    assert.equal(readSetting("keys"), "on");
  });
});
