import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CircuitBreaker } from "./circuit-breaker.ts";

const [timeout, refused, failed] = ["timeout", "refused", "failed"].map((text) => new Error(text));

function makeBreaker() {
  let nowMs = 0;
  const breaker = new CircuitBreaker({
    isTimeout: (error) => error === timeout,
    refusal: () => refused as Error,
    now: () => nowMs,
  });
  return {
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** The outcome of a request that the server answers like this. */
    ask: (answer: Error | undefined | Promise<void>) =>
      breaker
        .run(async () => {
          if (answer instanceof Error) throw answer;
          await answer;
        })
        .then(
          () => "answered",
          (error: Error) => error.message,
        ),
  };
}

describe("CircuitBreaker", () => {
  it("passes requests on while the server answers, also with errors", async () => {
    const { ask } = makeBreaker();
    for (const answer of [undefined, failed, failed, undefined]) {
      assert.equal(await ask(answer), answer?.message ?? "answered");
    }
  });

  it("refuses requests for a second after a timeout", async () => {
    const { ask, pass } = makeBreaker();
    assert.equal(await ask(timeout), "timeout");
    pass(999);
    assert.equal(await ask(undefined), "refused");
    pass(1);
    assert.equal(await ask(undefined), "answered");
    assert.equal(await ask(undefined), "answered");
  });

  it("lets one request at a time try whether the server answers again", async () => {
    const { ask, pass } = makeBreaker();
    await ask(timeout);
    pass(1000);
    const { promise, reject } = Promise.withResolvers<void>();
    const trial = ask(promise);
    assert.equal(await ask(undefined), "refused");
    reject(timeout);
    assert.equal(await trial, "timeout");
    assert.equal(await ask(undefined), "refused");
    pass(1000);
    assert.equal(await ask(failed), "failed");
    assert.equal(await ask(undefined), "answered", "an error is an answer too");
  });
});
