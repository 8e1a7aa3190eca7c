import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { forgetView, keepView, restoreView, returnPath } from "./kept-view.ts";

const longView = `/?search=${"%D7%A7".repeat(400)}`;

/** A tab that shows an address, as far as views are kept in it. */
function openTab() {
  const stored = new Map<string, string>();
  const location = { pathname: "/", search: "" };
  const show = (view: string) => {
    location.search = view.slice(1);
  };
  const history = { replaceState: (_state: unknown, _title: string, view: string) => show(view) };
  const sessionStorage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    removeItem: (key: string) => stored.delete(key),
  };
  Object.assign(globalThis, { window: { location, history } });
  Object.defineProperty(globalThis, "sessionStorage", { value: sessionStorage, writable: true });
  return { stored, show, view: () => `/${location.search}` };
}

describe("the view during a sign-in", () => {
  let tab: ReturnType<typeof openTab>;
  beforeEach(() => {
    tab = openTab();
  });

  it("is kept only if it cannot be taken along", () => {
    tab.show("/?search=short");
    keepView();
    assert.equal(returnPath(), "/?search=short");
    assert.equal(tab.stored.size, 0);
    tab.show(longView);
    keepView();
    assert.deepEqual([...tab.stored.values()], [longView]);
  });

  it("is shown once to those who come back", () => {
    tab.show(longView);
    keepView();
    tab.show(returnPath());
    restoreView();
    assert.equal(tab.view(), longView);
    tab.show("/?kept");
    restoreView();
    assert.equal(tab.view(), "/");
  });

  it("is kept no longer after the page was opened elsewhere, or after a sign-out", () => {
    for (const forget of [restoreView, forgetView]) {
      tab.show(longView);
      keepView();
      tab.show("/");
      forget();
      assert.equal(tab.stored.size, 0);
    }
  });
});
