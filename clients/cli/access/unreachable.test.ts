import assert from "node:assert/strict";
import { it } from "node:test";
import { unreachableText } from "./unreachable.ts";

it("an address where nothing listens is reported with the option that the command has", () => {
  const refused = new Error("failed", {
    cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }),
  });
  const text = "nothing listens there; start the services with npm start";
  assert.equal(unreachableText(refused), text);
  assert.equal(unreachableText(refused, "--auth-url"), `${text}, or name others with --auth-url`);
  const ofTwo = new AggregateError([refused, refused], "no");
  assert.equal(unreachableText(ofTwo), text);
});

it("an error that says nothing about the address is left as it is", () => {
  assert.equal(unreachableText(Object.assign(new Error("x"), { code: "ECONNRESET" })), undefined);
  assert.equal(unreachableText("x"), undefined);
});
