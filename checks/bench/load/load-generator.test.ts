import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { after, describe, it } from "node:test";
import { listen } from "@stowage/process/testing";
import { httpRequest, type LoadCommand, startLoadGenerator } from "./load-generator.ts";

const requests = ["a", "bb"].map((text) => httpRequest("/path", "token", { text }));

describe("the load generator", () => {
  const generator = startLoadGenerator();
  after(() => generator[Symbol.asyncDispose]());

  async function run(listener: RequestListener, command: Omit<LoadCommand, "port">) {
    const server = await listen(createServer(listener));
    try {
      return await generator.run({ ...command, port: server.port });
    } finally {
      await server.close();
    }
  }

  it("sends each request once and in order, as the contract writes it", async () => {
    const seen: string[] = [];
    const listener: RequestListener = async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const { authorization, "connect-protocol-version": version } = request.headers;
      seen.push([request.method, request.url, authorization, version, body].join(" "));
      response.end("x".repeat(seen.length * 200_000));
    };
    const report = await run(listener, { requests, connections: 1 });
    assert.deepEqual(seen, [
      'POST /path Bearer token 1 {"text":"a"}',
      'POST /path Bearer token 1 {"text":"bb"}',
    ]);
    assert.equal(report.latenciesMs.length, 2);
    assert.ok(report.latenciesMs.every((ms) => ms > 0 && ms <= report.tookMs));
  });

  it("keeps one request in progress on each connection", async () => {
    let [inProgress, most] = [0, 0];
    const ports = new Set<number | undefined>();
    const slow: RequestListener = (request, response) => {
      inProgress += 1;
      most = Math.max(most, inProgress);
      ports.add(request.socket.remotePort);
      setTimeout(() => {
        inProgress -= 1;
        response.end("x");
      }, 5);
    };
    const report = await run(slow, { requests, connections: 3, milliseconds: 100 });
    assert.equal(most, 3);
    assert.equal(ports.size, 3);
    assert.ok(report.latenciesMs.length >= 6);
    assert.ok(report.tookMs >= 100);
  });

  it("reads answers however they are split", async () => {
    const split: RequestListener = ({ socket }) => {
      const answer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
      const send = (at: number) => {
        socket.write(answer.slice(at, at + 5));
        if (at + 5 < answer.length) setTimeout(send, 1, at + 5);
      };
      send(0);
    };
    const { latenciesMs } = await run(split, { requests, connections: 1 });
    assert.equal(latenciesMs.length, 2);
  });

  const failing: readonly [what: string, listener: RequestListener, message: RegExp][] = [
    ["another status", (_, response) => response.writeHead(403).end("no"), /status 403/],
    ["no length", (_, response) => response.writeHead(200).flushHeaders(), /length undefined/],
    ["no end", ({ socket }) => socket.end("HTTP/1.1 200 OK\r\n"), /closed the connection/],
  ];
  for (const [what, listener, message] of failing) {
    it(`rejects an answer with ${what}`, async () => {
      await assert.rejects(run(listener, { requests, connections: 1 }), message);
    });
  }

  it("tells that a server cannot be reached", async () => {
    await assert.rejects(generator.run({ port: 1, requests, connections: 1 }), /ECONNREFUSED/);
  });
});
