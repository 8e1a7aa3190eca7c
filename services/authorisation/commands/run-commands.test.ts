import assert from "node:assert/strict";
import { hostname, userInfo } from "node:os";
import { it } from "node:test";
import { operatorName } from "./run-commands.ts";

it("names the user and the machine", () => {
  assert.equal(operatorName(), `${userInfo().username}@${hostname()}`);
});

it("names the number of a user that the machine does not know", () => {
  const unknown = () => {
    throw Object.assign(new Error("A system error occurred"), { code: "ERR_SYSTEM_ERROR" });
  };
  assert.equal(operatorName(unknown), `${process.geteuid?.()}@${hostname()}`);
});
