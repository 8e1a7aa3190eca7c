import assert from "node:assert/strict";
import { it } from "node:test";
import { printable } from "./printable.ts";

it("text of others is printed without what terminals interpret", () => {
  assert.equal(printable("Grüße 🙂 ~/a\\b%_"), "Grüße 🙂 ~/a\\b%_");
  assert.equal(printable("\u001b[2J\na\u009b\0"), "\\u001b[2J\\u000aa\\u009b\\u0000");
  assert.equal(printable("\u2028\ud800"), "\\u2028\\ud800");
});
