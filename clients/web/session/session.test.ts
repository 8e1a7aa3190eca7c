import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSamePerson } from "./session.ts";

const ada = { name: "Ada", loginName: "ada", email: "ada@example.com" };

describe("the session", () => {
  it("is of the same person if all that the issuer tells of them is the same", () => {
    assert.ok(isSamePerson(ada, { ...ada }));
    assert.ok(isSamePerson({ ...ada, email: null }, { ...ada, email: null }));
    for (const change of [{ name: "Grace" }, { loginName: "grace" }, { email: null }]) {
      assert.ok(!isSamePerson(ada, { ...ada, ...change }), JSON.stringify(change));
    }
  });
});
