import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { SearchTyping } from "./search-typing.ts";

describe("typing into the search field", () => {
  const searches: string[] = [];
  const typing = new SearchTyping((text) => searches.push(text));

  beforeEach(() => {
    mock.timers.enable({ apis: ["setTimeout"] });
    searches.length = 0;
  });
  afterEach(() => {
    typing.cancel();
    mock.timers.reset();
  });

  it("searches for the first letter at once", () => {
    typing.type("r");
    assert.deepEqual(searches, ["r"]);
  });

  it("searches every 150 ms while letters come faster", () => {
    for (const text of ["r", "re", "rep", "repo", "repor", "report"]) {
      typing.type(text);
      mock.timers.tick(50);
    }
    assert.deepEqual(searches, ["r", "rep", "report"]);
    mock.timers.tick(1000);
    assert.deepEqual(searches, ["r", "rep", "report"]);
  });

  it("searches at once again after a pause", () => {
    typing.type("r");
    mock.timers.tick(150);
    typing.type("re");
    assert.deepEqual(searches, ["r", "re"]);
  });

  it("searches at once for what waits when the reader is done, and only once", () => {
    typing.type("r");
    typing.type("re");
    assert.deepEqual(searches, ["r"]);
    typing.flush();
    mock.timers.tick(1000);
    assert.deepEqual(searches, ["r", "re"]);
  });

  it("forgets what waits when something else is opened", () => {
    typing.type("r");
    typing.type("re");
    typing.cancel();
    mock.timers.tick(1000);
    assert.deepEqual(searches, ["r"]);
  });
});
