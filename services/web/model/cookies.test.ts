import assert from "node:assert/strict";
import { it } from "node:test";
import { readCookies } from "./cookies.ts";

it("a name or value keeps all spaces but those after a semicolon", () => {
  assert.deepEqual(readCookies("a=1; b=2;\t c =3;d= 4 ;\u00a0e=5; without a value"), [
    ["a", "1"],
    ["b", "2"],
    ["c ", "3"],
    ["d", " 4 "],
    ["\u00a0e", "5"],
  ]);
});
