import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { connect, createServer, constants as http2Constants } from "node:http2";
import type { AddressInfo } from "node:net";
import { describe, it, mock } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { callSignal } from "./call-signal.ts";
import type { NodeResponse } from "./node-http.ts";

const timeoutMaxMs = 30_000;

class FakeResponse extends EventEmitter {
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  destroyed = false;
  destroy(): void {
    this.destroyed = true;
  }
}

/** A call whose timer runs on a false clock. */
function startCall(test: { after(done: () => void): void }, headers: Record<string, string> = {}) {
  mock.timers.enable({ apis: ["setTimeout"] });
  test.after(() => mock.timers.reset());
  const response = new FakeResponse();
  const signal = callSignal(headers, response as unknown as NodeResponse, timeoutMaxMs);
  return { response, signal };
}

function codeOf({ reason }: AbortSignal): Code {
  return ConnectError.from(reason).code;
}

describe("callSignal()", () => {
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
    it(`with ${JSON.stringify(headers)} aborts after ${afterMs} ms`, (test) => {
      const { signal } = startCall(test, headers);
      let elapsedMs = 0;
      for (; !signal.aborted; elapsedMs++) mock.timers.tick(1);
      assert.equal(codeOf(signal), Code.DeadlineExceeded);
      assert.equal(elapsedMs, afterMs);
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
    assert.equal(codeOf(signal), Code.Canceled);
    mock.timers.tick(timeoutMaxMs);
    assert.equal(codeOf(signal), Code.Canceled);
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

describe("callSignal() of an HTTP/2 call", () => {
  for (const when of ["before its answer begins", "amid its answer"]) {
    it(`aborts when the caller resets it ${when}`, async (test) => {
      const called = Promise.withResolvers<AbortSignal>();
      const server = createServer(({ headers }, response) => {
        const signal = callSignal(headers, response, timeoutMaxMs);
        if (when === "amid its answer") response.write("the beginning");
        called.resolve(signal);
      });
      await once(server.listen(0, "127.0.0.1"), "listening");
      const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      test.after(async () => {
        session.destroy();
        await new Promise((resolve) => server.close(resolve));
      });
      const stream = session.request({ ":path": "/" });
      const signal = await called.promise;
      if (when === "amid its answer") await once(stream, "data");
      stream.close(http2Constants.NGHTTP2_CANCEL);
      if (!signal.aborted) await once(signal, "abort", { signal: AbortSignal.timeout(10_000) });
      assert.equal(codeOf(signal), Code.Canceled);
    });
  }
});
