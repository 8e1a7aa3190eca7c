import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { readUntilAborted, startDeadline } from "./deadline.ts";

const timeoutMaxMs = 30_000;

/** When the deadline of a call with these headers is up. */
function expiresAfterMs(headers: Record<string, string>): number {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const { signal } = startDeadline(new Headers(headers), timeoutMaxMs);
    let elapsedMs = 0;
    for (; !signal.aborted; elapsedMs++) mock.timers.tick(1);
    assert.equal(ConnectError.from(signal.reason).code, Code.DeadlineExceeded);
    return elapsedMs;
  } finally {
    mock.timers.reset();
  }
}

describe("startDeadline()", () => {
  const cases: [headers: Record<string, string>, afterMs: number][] = [
    [{}, 30_000],
    [{ "connect-timeout-ms": "0" }, 0],
    [{ "connect-timeout-ms": "1500" }, 1500],
    [{ "connect-timeout-ms": "30001" }, 30_000],
    [{ "connect-timeout-ms": "9999999999" }, 30_000],
    [{ "connect-timeout-ms": "soon" }, 30_000],
    [{ "connect-timeout-ms": "-1" }, 30_000],
    [{ "grpc-timeout": "5S" }, 5000],
    [{ "grpc-timeout": "1M" }, 30_000],
    [{ "grpc-timeout": "31000000u" }, 30_000],
    [{ "grpc-timeout": "2000000u" }, 2000],
    [{ "grpc-timeout": "0n" }, 0],
    [{ "grpc-timeout": "5" }, 30_000],
  ];
  for (const [headers, afterMs] of cases) {
    it(`with ${JSON.stringify(headers)} is up after ${afterMs} ms`, () => {
      assert.equal(expiresAfterMs(headers), afterMs);
    });
  }

  it("is never up once it is cleared", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const deadline = startDeadline(new Headers(), timeoutMaxMs);
      deadline.clear();
      mock.timers.tick(timeoutMaxMs);
      assert.equal(deadline.signal.aborted, false);
    } finally {
      mock.timers.reset();
    }
  });
});

describe("readUntilAborted()", () => {
  async function* twoChunks() {
    yield Uint8Array.of(1);
    yield Uint8Array.of(2);
  }

  it("gives the chunks of a body", async () => {
    const chunks = await Array.fromAsync(
      readUntilAborted(twoChunks(), new AbortController().signal),
    );
    assert.deepEqual(chunks, [Uint8Array.of(1), Uint8Array.of(2)]);
  });

  it("ends a wait for a body that does not come", async () => {
    const stop = new AbortController();
    const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const reading = readUntilAborted(never, stop.signal).next();
    const reason = new Error("time is up");
    stop.abort(reason);
    await assert.rejects(reading, reason);
  });
});
