import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { describe, it } from "node:test";
import { listen } from "../../testing/listen.ts";
import { ForkedProgram } from "../programs/forked-program.ts";
import { httpRequest } from "./http-request.ts";
import type { AnyLoadOrder, LoadReport } from "./load-orders.ts";
import { runLoad } from "./run-load.ts";

const requests = ["a", "bb"].map((text) => httpRequest("/path", "token", { text }));

async function serving<Result>(
  listener: RequestListener,
  use: (port: number) => Promise<Result>,
): Promise<Result> {
  const server = await listen(createServer(listener));
  try {
    return await use(server.port);
  } finally {
    await server.close();
  }
}

describe("the load generator", () => {
  it("sends each request once and in order, as the contract writes it", async () => {
    const seen: string[] = [];
    const echo: RequestListener = async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const { authorization, "connect-protocol-version": version } = request.headers;
      seen.push([request.method, request.url, authorization, version, body].join(" "));
      response.end(body);
    };
    const report = await serving(echo, (port) => runLoad({ kind: "each", port, requests }));
    assert.deepEqual(seen, [
      'POST /path Bearer token 1 {"text":"a"}',
      'POST /path Bearer token 1 {"text":"bb"}',
    ]);
    assert.equal(report.latenciesMs.length, 2);
    assert.equal(report.bodyBytes, '{"text":"a"}{"text":"bb"}'.length);
    for (const [index, ms] of report.firstByteMs.entries()) {
      assert.ok(ms > 0 && ms <= report.latenciesMs[index]!);
    }
  });

  it("keeps as many requests under way as there are connections", async () => {
    let [underWay, most, ports] = [0, 0, new Set<number | undefined>()];
    const slow: RequestListener = (request, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      ports.add(request.socket.remotePort);
      setTimeout(() => {
        underWay -= 1;
        response.end("x");
      }, 5);
    };
    const order = { kind: "closed loop", requests, connections: 3, milliseconds: 100 } as const;
    const report = await serving(slow, (port) => runLoad({ ...order, port }));
    assert.equal(most, 3);
    assert.equal(ports.size, 3);
    assert.ok(report.latenciesMs.length >= 6);
    assert.ok(report.tookMs >= 100);
  });

  it("breaks off what it repeats when the time is over", async () => {
    const closed = Promise.withResolvers<void>();
    const endless: RequestListener = (_request, response) => {
      response.write("begun");
      response.on("close", closed.resolve);
    };
    const order = { kind: "repeat", requests, milliseconds: 50 } as const;
    await serving(endless, async (port) => {
      const report = await runLoad({ ...order, port });
      assert.equal(report.latenciesMs.length, 0);
      await closed.promise;
    });
  });

  it("runs in a process of its own, which tells what went wrong", async () => {
    await using program = new ForkedProgram<AnyLoadOrder, LoadReport>(
      new URL("load-program.ts", import.meta.url),
    );
    const refusing: RequestListener = (request, response) => {
      response.statusCode = request.url === "/path" ? 200 : 403;
      response.end();
    };
    await serving(refusing, async (port) => {
      const good = await program.obey({ kind: "each", port, requests });
      assert.equal(good.latenciesMs.length, 2);
      const bad = [httpRequest("/other", "token", {})];
      await assert.rejects(program.obey({ kind: "each", port, requests: bad }), /status 403/);
    });
    await assert.rejects(program.obey({ kind: "each", port: 1, requests }), /ECONNREFUSED/);
  });

  it("does not take a broken answer for one", async () => {
    const breaking: RequestListener = (_request, response) => {
      response.writeHead(200, { "content-length": 10 });
      response.write("short");
      setTimeout(() => response.destroy(), 10);
    };
    const running = serving(breaking, (port) => runLoad({ kind: "each", port, requests }));
    await assert.rejects(running, /closed the connection/);
  });
});
