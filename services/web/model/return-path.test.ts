import assert from "node:assert/strict";
import { it } from "node:test";
import { readReturnPath } from "./return-path.ts";

const origin = "https://files.example.com";

it("a path to return to is kept with its query and fragment", () => {
  for (const path of ["/", "/?bucket=a&path=%2Fb%20c#x", "/a/b", "/?q=//host", "/?u=https://x"]) {
    assert.equal(readReturnPath(path, origin), path);
  }
});

it("a path of up to 2,000 characters is kept, as it is once it is normalised", () => {
  const query = "/?folder=";
  const kept = query + "%E6".repeat((2000 - query.length) / 3);
  assert.ok(kept.length > 1990);
  assert.equal(readReturnPath(kept, origin), kept);
  assert.equal(readReturnPath(`${query}${"x".repeat(2000 - query.length)}`, origin)?.length, 2000);
});

it("a longer path becomes the page without a view, not an error", () => {
  for (const path of [
    `/?q=${"x".repeat(1997)}`,
    `/?q=${"<".repeat(1000)}`,
    `/${"x".repeat(9000)}`,
  ]) {
    assert.equal(readReturnPath(path, origin), "/");
  }
  assert.equal(readReturnPath(`//${"x".repeat(9000)}`, origin), undefined);
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
