import assert from "node:assert/strict";
import { it } from "node:test";
import { cleanBody, cleanForm } from "./request-handler.ts";

for (const [given, name] of [
  ["a%00b", "a\ufffdb"],
  ["%00%00", "\ufffd\ufffd"],
  ["a\0b", "a\ufffdb"],
  ["a%2500b", "a%00b"],
  ["%%00", "%\ufffd"],
  ["%C3%A9+x", "é x"],
] as const) {
  it(`reads ${JSON.stringify(given)} as ${JSON.stringify(name)}`, () => {
    const query = `name=${given}`;
    const body = cleanBody(Buffer.from(query)).toString();
    for (const text of [cleanForm(query), body]) {
      assert.equal(new URLSearchParams(text).get("name"), name);
    }
  });
}

it("keeps all other bytes of a body", () => {
  const body = Buffer.from("a=é&b=%00&c=\ufffd");
  assert.deepEqual(cleanBody(body), Buffer.from("a=é&b=%EF%BF%BD&c=\ufffd"));
  const without = Buffer.from("a=é");
  assert.equal(cleanBody(without), without);
});

for (const [given, scope] of [
  ["scope=a++b", "a b"],
  ["?x=1&scope=%20a%20+%20b+&y=2", "a b"],
  ["scope=a%20b", "a b"],
  ["scope=", ""],
] as const) {
  it(`reads the scopes of ${given} with one space between them`, () => {
    assert.equal(new URLSearchParams(cleanForm(given)).get("scope"), scope);
  });
}
