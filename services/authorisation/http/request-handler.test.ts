import assert from "node:assert/strict";
import { it } from "node:test";
import { replaceNul, replaceNulInBody } from "./request-handler.ts";

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
    const body = replaceNulInBody(Buffer.from(query)).toString();
    for (const text of [replaceNul(query), body]) {
      assert.equal(new URLSearchParams(text).get("name"), name);
    }
  });
}

it("keeps all other bytes of a body", () => {
  const body = Buffer.from("a=é&b=%00&c=\ufffd");
  assert.deepEqual(replaceNulInBody(body), Buffer.from("a=é&b=%EF%BF%BD&c=\ufffd"));
});
