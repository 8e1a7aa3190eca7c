import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { errorText } from "./error-text.ts";

describe("errorText()", () => {
  it("joins an error and its causes", () => {
    const error = new Error("Cannot start", { cause: new Error("port taken", { cause: "text" }) });
    assert.equal(errorText(error), "Cannot start: port taken: text");
  });

  it("does not repeat the text of a wrapping error", () => {
    const error = new Error("Cannot start: port taken", { cause: new Error("port taken") });
    assert.equal(errorText(error), "Cannot start: port taken");
  });

  it("reads the errors of a connection that failed at every address", () => {
    const errors = [new Error("refused ::1"), new Error("refused 127.0.0.1")];
    assert.equal(
      errorText(silenced(new AggregateError(errors, "all failed"))),
      "refused ::1; refused 127.0.0.1",
    );
  });

  it("names a system error", async () => {
    const error = await new Promise((resolve) => connect("/no/such/socket").on("error", resolve));
    assert.equal(errorText(error), "connect ENOENT /no/such/socket");
  });

  it("ends with errors that cause themselves", () => {
    const error = new Error("a");
    error.cause = error;
    assert.equal(errorText(error), "a");
  });

  it("always says something", () => {
    assert.equal(errorText(silenced(new Error("text"))), "Error");
    assert.equal(errorText(undefined), "unknown error");
  });
});

function silenced(error: Error): Error {
  error.message = "";
  return error;
}
