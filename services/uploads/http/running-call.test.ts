import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { connect, createServer, constants as http2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { describe, it, mock } from "node:test";
import { ApiError } from "../model/api-error.ts";
import { CallRecord } from "../telemetry/call-record.ts";
import type { NodeResponse } from "./node-http.ts";
import { openCall, pauseMaxMs, progressBytes } from "./running-call.ts";

const timeoutMaxMs = 30_000;
const sendProgressMs = 10_000;
const limits = { timeoutMaxMs, sendProgressMs };

class FakeResponse extends EventEmitter {
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  destroyed = false;
  socket: object | null = { destroyed: false };
  destroy(): void {
    this.destroyed = true;
  }
}

/** A call on a false clock. */
function startCall(test: { after(done: () => void): void }, headers: Record<string, string> = {}) {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  test.after(() => mock.timers.reset());
  let nowMs = 0;
  const pass = (ms: number, stepMs = 1) => {
    for (const endMs = nowMs + ms; nowMs < endMs; mock.timers.tick(stepMs)) nowMs += stepMs;
  };
  const response = new FakeResponse();
  const call = openCall(
    headers,
    response as unknown as NodeResponse,
    limits,
    new CallRecord("a-request"),
    () => nowMs,
  );
  return { response, ...call, pass };
}

function reasonOf({ reason }: AbortSignal): string {
  assert.ok(reason instanceof ApiError);
  return reason.reason;
}

describe("the signal of a call", () => {
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
    [{ "connect-timeout-ms": "1500", "grpc-timeout": "2S" }, 1500],
    [{ "connect-timeout-ms": "1500", "grpc-timeout": "1S" }, 1000],
  ];
  for (const [headers, afterMs] of cases) {
    it(`with ${JSON.stringify(headers)} aborts after ${afterMs} ms`, (test) => {
      const { signal, record, pass } = startCall(test, headers);
      let elapsedMs = 0;
      for (; !signal.aborted; elapsedMs++) pass(1);
      assert.equal(reasonOf(signal), "DEADLINE_EXCEEDED");
      assert.equal(elapsedMs, afterMs);
      assert.equal(record.hasOwnTimeout, afterMs < timeoutMaxMs);
    });
  }

  it("breaks off a response that has begun when the deadline passes", (test) => {
    const { response } = startCall(test);
    response.headersSent = true;
    mock.timers.tick(timeoutMaxMs);
    assert.ok(response.destroyed);
  });

  it("does not close a response that has not begun: it will carry the error", (test) => {
    const { response } = startCall(test);
    mock.timers.tick(timeoutMaxMs);
    assert.ok(!response.destroyed);
  });

  it("aborts when the caller disconnects, and not again at the deadline", (test) => {
    const { response, signal } = startCall(test);
    response.emit("close");
    assert.equal(reasonOf(signal), "CANCELLED");
    mock.timers.tick(timeoutMaxMs);
    assert.equal(reasonOf(signal), "CANCELLED");
  });

  it("does not abort after the answer was sent", (test) => {
    const { response, signal } = startCall(test);
    response.writableEnded = true;
    response.writableFinished = true;
    response.emit("close");
    mock.timers.tick(timeoutMaxMs);
    assert.ok(!signal.aborted);
  });
});

describe("a call that is being sent", () => {
  const step = 4 * progressBytes;

  it("may take longer than the work of a call", async (test) => {
    const { signal, sendStep, pass } = startCall(test);
    for (let steps = 0; steps < 10; steps++) {
      const taken = Promise.withResolvers<void>();
      const sent = sendStep(progressBytes, () => taken.promise);
      pass(sendProgressMs - 1);
      taken.resolve();
      await sent;
    }
    assert.ok(!signal.aborted);
  });

  it("still has its time for work, less that before", async (test) => {
    const { signal, sendStep, pass } = startCall(test);
    pass(timeoutMaxMs - 20);
    for (let steps = 0; steps < 3; steps++) {
      const taken = Promise.withResolvers<void>();
      const sent = sendStep(progressBytes, () => taken.promise);
      pass(5000);
      taken.resolve();
      await sent;
      pass(5);
    }
    pass(4);
    assert.ok(!signal.aborted);
    pass(1);
    assert.equal(reasonOf(signal), "DEADLINE_EXCEEDED");
  });

  it("is broken off when the caller reads nothing of what was sent", async (test) => {
    const { response, signal, sendStep, pass } = startCall(test);
    response.headersSent = true;
    await sendStep(3 * progressBytes, async () => {});
    const sent = sendStep(progressBytes, () => new Promise(() => {}));
    pass(5 * sendProgressMs - 1);
    assert.ok(!signal.aborted);
    pass(1);
    assert.equal(reasonOf(signal), "CANCELLED");
    assert.ok(response.destroyed);
    await assert.rejects(sent, /the caller does not read/);
  });

  it("is broken off after the longest pause, however much was sent before", async (test) => {
    const { signal, sendStep, pass } = startCall(test);
    await sendStep(10_000 * progressBytes, async () => {});
    const sent = sendStep(step, () => new Promise(() => {}));
    pass(pauseMaxMs(limits) - 1000, 1000);
    assert.ok(!signal.aborted);
    pass(1000, 1000);
    await assert.rejects(sent, /the caller does not read/);
  });

  it("is broken off when the caller reads at half of the lowest speed", async (test) => {
    const { signal, sendStep, pass } = startCall(test);
    let steps = 0;
    for (; !signal.aborted; steps++) {
      const taken = Promise.withResolvers<void>();
      const sent = sendStep(progressBytes, () => taken.promise).catch(() => {});
      pass(2 * sendProgressMs, 1000);
      taken.resolve();
      await sent;
    }
    assert.ok(steps <= 2, `${steps} steps`);
  });

  it("goes on for a caller at 33 KB/s though the system buffers 4 MiB", async (test) => {
    const { signal, sendStep, pass } = startCall(test);
    const buffer = new SystemBuffer(4 * 1024 * 1024);
    for (let passedMs = 0; passedMs < 3_600_000; ) {
      const sent = sendStep(progressBytes, () => buffer.accept(progressBytes));
      while (buffer.isFull) {
        pass(sendProgressMs, 1000);
        passedMs += sendProgressMs;
        buffer.read(20 * progressBytes);
        assert.ok(!signal.aborted, `broken off after ${passedMs} ms`);
      }
      await sent;
    }
  });

  it("waits for other answers on its connection, and works meanwhile", async (test) => {
    const { response, signal, sendStep, pass } = startCall(test);
    response.socket = null;
    let hasBegun = false;
    const sent = sendStep(0, async () => {
      hasBegun = true;
    });
    pass(timeoutMaxMs - 1);
    assert.ok(!signal.aborted && !hasBegun);
    response.emit("socket", {});
    await sent;
    assert.ok(hasBegun);
    pass(1);
    assert.equal(reasonOf(signal), "DEADLINE_EXCEEDED");
  });

  it("waits for other answers no longer than it may work", async (test) => {
    const { response, signal, sendStep, pass } = startCall(test);
    response.socket = null;
    const sent = sendStep(0, async () => {});
    pass(timeoutMaxMs);
    assert.equal(reasonOf(signal), "DEADLINE_EXCEEDED");
    await assert.rejects(sent, /the time of the request ran out/);
  });

  it("ends at the caller's own timeout", async (test) => {
    const { signal, sendStep, pass } = startCall(test, { "connect-timeout-ms": "5000" });
    const sent = sendStep(step, () => new Promise(() => {}));
    pass(5000);
    assert.equal(reasonOf(signal), "DEADLINE_EXCEEDED");
    await assert.rejects(sent, /the time of the request ran out/);
  });

  it("is cancelled when a step fails because the caller is gone", async (test) => {
    const { response, signal, sendStep } = startCall(test);
    const sent = sendStep(step, async () => {
      response.socket = { destroyed: true };
      throw new Error("write ECONNRESET");
    });
    await assert.rejects(sent, /the caller went away/);
    assert.equal(reasonOf(signal), "CANCELLED");
  });

  it("fails as a step does that fails for another reason", async (test) => {
    const { signal, sendStep } = startCall(test);
    const failure = new Error("a bug");
    await assert.rejects(
      sendStep(step, () => Promise.reject(failure)),
      failure,
    );
    assert.ok(!signal.aborted);
  });
});

/** Buffers as Linux does: once it is full, it accepts more only when a third has been read. */
class SystemBuffer {
  readonly #bytesMax: number;
  #bytes = 0;
  #accept: (() => void) | undefined;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get isFull(): boolean {
    return this.#accept !== undefined;
  }

  async accept(bytes: number): Promise<void> {
    if (this.#bytes + bytes > this.#bytesMax) {
      await new Promise<void>((resolve) => {
        this.#accept = resolve;
      });
    }
    this.#bytes += bytes;
  }

  read(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes > (this.#bytesMax * 2) / 3) return;
    this.#accept?.();
    this.#accept = undefined;
  }
}

describe("the signal of an HTTP/2 call", () => {
  for (const when of ["before its answer begins", "amid its answer"]) {
    it(`aborts when the caller resets it ${when}`, async (test) => {
      const called = Promise.withResolvers<AbortSignal>();
      const server = createServer(({ headers }, response) => {
        const { signal } = openCall(headers, response, limits, new CallRecord("a-request"));
        if (when === "amid its answer") response.write("the beginning");
        called.resolve(signal);
      });
      await once(server.listen(0, "127.0.0.1"), "listening");
      const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      test.after(() => server.close());
      test.after(() => session.destroy());
      const stream = session.request({ ":path": "/" });
      const signal = await called.promise;
      if (when === "amid its answer") await once(stream, "data");
      stream.close(http2.NGHTTP2_CANCEL);
      if (!signal.aborted) await once(signal, "abort", { signal: AbortSignal.timeout(10_000) });
      assert.equal(reasonOf(signal), "CANCELLED");
    });
  }
});
