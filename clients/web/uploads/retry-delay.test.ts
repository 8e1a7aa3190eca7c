import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CallError } from "../api/call-error.ts";
import { retryDelayMs } from "./retry-delay.ts";

describe("a list that could not be read", () => {
  it("is read again after a while if the failure is temporary", () => {
    assert.equal(retryDelayMs(new CallError("unavailable", ""), true), 5000);
    assert.equal(retryDelayMs(new TypeError("no network"), false), 5000);
  });

  it("is read again at once when the session that had ended was begun again", () => {
    const error = new CallError("unauthenticated", "");
    assert.equal(retryDelayMs(error, false), undefined);
    assert.equal(retryDelayMs(error, true), 0);
  });

  it("is not read again by itself for other reasons", () => {
    assert.equal(retryDelayMs(new CallError("invalid_argument", ""), true), undefined);
    assert.equal(retryDelayMs(undefined, true), undefined);
  });
});
