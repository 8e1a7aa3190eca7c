import assert from "node:assert/strict";
import { it } from "node:test";
import { readReturnPath } from "./return-path.ts";

const origin = "https://files.example.com";

it("a path to return to is kept with its query and fragment", () => {
  for (const path of ["/", "/?bucket=a&path=%2Fb%20c#x", "/a/b", "/?q=//host", "/?u=https://x"]) {
    assert.equal(readReturnPath(path, origin), path);
  }
});

it("whatever is accepted leads to this site, as browsers read it", () => {
  const parts = ["/", "\\", ".", "..", "x", "%2f", "@", ":", "?", "#", "\t", "\n", " ", "host.y"];
  let accepted = 0;
  for (let number = 0; number < parts.length ** 4; number++) {
    const digits = number.toString(parts.length).padStart(4, "0");
    const text = [...digits].map((digit) => parts[Number.parseInt(digit, parts.length)]).join("");
    const path = readReturnPath(text, origin);
    if (path === undefined) continue;
    accepted += 1;
    assert.equal(new URL(path, origin).origin, origin, JSON.stringify(text));
    assert.equal(readReturnPath(path, origin), path, "and stays the same when read again");
  }
  assert.ok(accepted > 100);
});
