import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { HttpServer } from "./http-server.ts";

const host = "127.0.0.1";
const longGraceMs = 60_000;
/** More than the system keeps for a caller that does not read. */
const largeBytes = 64 * 1024 * 1024;

interface Started {
  readonly server: HttpServer;
  readonly port: number;
  open(): Promise<Socket>;
}

async function startServer(isShared: boolean, connectionsMax = 1000): Promise<Started> {
  const server = new HttpServer();
  const port = await server.listenOn({ host, port: 0, isShared, connectionsMax });
  return {
    server,
    port,
    async open() {
      const socket = connect({ host, port });
      await once(socket, "connect");
      return socket;
    },
  };
}

for (const isShared of [false, true]) {
  describe(`closeGracefully() of a server whose port is ${isShared ? "shared" : "its own"}`, () => {
    const start = () => startServer(isShared);

    for (const { what, graceMs, isAnswered } of [
      { what: "lets a running request finish", graceMs: longGraceMs, isAnswered: true },
      { what: "cuts off a request that outlasts the grace period", graceMs: 1, isAnswered: false },
    ]) {
      it(what, async () => {
        const { server, port } = await start();
        const request = get({ host, port });
        const outcome = new Promise<boolean>((resolve) => {
          request.on("response", (response) => response.resume().on("end", () => resolve(true)));
          request.on("error", () => resolve(false));
        });
        const [, response] = await once(server, "request");
        const closed = server.closeGracefully(graceMs);
        if (isAnswered) response.end("answer");
        assert.equal(await outcome, isAnswered);
        await closed;
      });
    }

    it("sends an answer to its end, however slowly it is read", async () => {
      const { server, open } = await start();
      const socket = await open();
      socket.pause().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      const [, response] = await once(server, "request");
      response.end(Buffer.alloc(largeBytes));
      const closed = server.closeGracefully(longGraceMs);
      assert.ok((await buffer(socket)).length > largeBytes);
      await closed;
    });

    it("closes a connection that is kept open when its answer is sent", async () => {
      const { server, port } = await start();
      server.on("request", (_, response) => response.end("answer"));
      const agent = new Agent({ keepAlive: true });
      const request = get({ host, port, agent });
      const [response] = await once(request, "response");
      assert.equal(await text(response), "answer");
      await server.closeGracefully(longGraceMs);
    });

    it("closes a connection that has sent nothing, before the grace period ends", {
      timeout: longGraceMs / 2,
    }, async () => {
      const { server, open } = await start();
      const accepted = once(server, "connection");
      const socket = await open();
      await accepted;
      const closed = server.closeGracefully(longGraceMs);
      await Promise.all([once(socket.resume(), "close"), closed]);
    });

    it("answers a connection that sends its first request while the server closes", async () => {
      const { server, open } = await start();
      server.on("request", (_, response) => response.end("answer"));
      const accepted = once(server, "connection");
      const socket = await open();
      await accepted;
      const closed = server.closeGracefully(longGraceMs);
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      assert.match(await text(socket), /answer$/);
      await closed;
    });

    it("waits for a request whose first bytes have come", async () => {
      const { server, open } = await start();
      server.on("request", (_, response) => response.end("answer"));
      const accepted = once(server, "connection");
      const socket = await open();
      const [serverSocket] = await accepted;
      const first = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
      const begun = "GET / HTTP/1.1\r\n";
      socket.write(first);
      await once(socket, "data");
      socket.write(begun);
      while (serverSocket.bytesRead < first.length + begun.length) await setImmediate();
      const closed = server.closeGracefully(longGraceMs);
      socket.write("Host: a\r\n\r\n");
      assert.match(await text(socket), /answer$/);
      await closed;
    });

    it("closes the connections of all its sockets, and takes no new ones", async () => {
      const { server, open } = await start();
      let accepted = 0;
      server.on("connection", () => (accepted += 1));
      const sockets = await Promise.all(Array.from({ length: 40 }, open));
      while (accepted < sockets.length) await setImmediate();
      const closed = server.closeGracefully(longGraceMs);
      await Promise.all([...sockets.map((socket) => once(socket.resume(), "close")), closed]);
      await assert.rejects(open(), { code: "ECONNREFUSED" });
    });
  });
}

describe("a request whose target is an absolute address", () => {
  for (const { target, url } of [
    { target: "http://example.com:81/path?query", url: "/path?query" },
    { target: "HTTPS://example.com:81", url: "/" },
    { target: "http://example.com:81?query", url: "/?query" },
  ]) {
    it(`is one for ${url} at that host: ${target}`, async (test) => {
      const { server, port } = await startServer(false);
      test.after(() => server.closeGracefully(longGraceMs));
      server.on("request", ({ url, headers }, response) => response.end(`${headers.host} ${url}`));
      const request = get({ host, port, path: target, agent: false });
      const [response] = await once(request, "response");
      assert.equal(await text(response), `example.com:81 ${url}`);
    });
  }
});

describe("listenOn()", () => {
  it("accepts several connections in one turn of the event loop on a shared port", async () => {
    const { server, open } = await startServer(true);
    let [inTurn, mostInTurn, inAll] = [0, 0, 0];
    server.on("connection", () => {
      inAll += 1;
      inTurn += 1;
      mostInTurn = Math.max(mostInTurn, inTurn);
    });
    const sockets = Promise.all(Array.from({ length: 64 }, open));
    while (inAll < 64) {
      inTurn = 0;
      await setImmediate();
    }
    for (const socket of await sockets) socket.destroy();
    await server.closeGracefully(longGraceMs);
    assert.ok(mostInTurn > 1, "accepted one connection in each turn");
  });

  it("drops connections beyond the limit, whichever socket they come to", async () => {
    for (const isShared of [false, true]) {
      const { server, open } = await startServer(isShared, 16);
      let [accepted, dropped] = [0, 0];
      server.on("connection", () => (accepted += 1)).on("drop", () => (dropped += 1));
      const sockets = await Promise.all(Array.from({ length: 64 }, open));
      while (accepted + dropped < 64) await setImmediate();
      assert.ok(accepted <= 16, `${accepted} are open`);
      for (const socket of sockets) socket.destroy();
      await server.closeGracefully(longGraceMs);
    }
  });
});
