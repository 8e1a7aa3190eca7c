import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CallError, messageOf } from "./call-error.ts";

describe("the message of an error", () => {
  it("is what the service said", () => {
    assert.equal(messageOf(new CallError("invalid_argument", "The path is…")), "The path is…");
  });

  it("is left out where a notice of the page explains the error", () => {
    // What browsers say of a server that is away.
    assert.equal(messageOf(new TypeError("Failed to fetch")), "");
    assert.equal(messageOf(new CallError("unauthenticated", "The session has ended")), "");
  });
});
