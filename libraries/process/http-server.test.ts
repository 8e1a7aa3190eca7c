import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { HttpServer } from "./http-server.ts";

const host = "127.0.0.1";
const longGraceMs = 60_000;
/** More than the system keeps for a caller that does not read. */
const largeBytes = 64 * 1024 * 1024;

async function start(): Promise<{ server: HttpServer; open(): Promise<Socket> }> {
  const server = new HttpServer();
  await once(server.listen(0, host), "listening");
  return {
    server,
    async open() {
      const socket = connect({ host, port: (server.address() as AddressInfo).port });
      await once(socket, "connect");
      return socket;
    },
  };
}

describe("closeGracefully()", () => {
  for (const { what, graceMs, isAnswered } of [
    { what: "lets a running request finish", graceMs: longGraceMs, isAnswered: true },
    { what: "cuts off a request that outlasts the grace period", graceMs: 1, isAnswered: false },
  ]) {
    it(what, async () => {
      const { server } = await start();
      const request = get({ host, port: (server.address() as AddressInfo).port });
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
    const { server } = await start();
    server.on("request", (_, response) => response.end("answer"));
    const agent = new Agent({ keepAlive: true });
    const request = get({ host, port: (server.address() as AddressInfo).port, agent });
    const [response] = await once(request, "response");
    assert.equal(await text(response), "answer");
    await server.closeGracefully(longGraceMs);
  });

  it("closes a connection that has sent nothing, before the grace period ends", async () => {
    const { server, open } = await start();
    const accepted = once(server, "connection");
    const socket = await open();
    await accepted;
    const cutOff = () => assert.fail("waited for all of the grace period");
    const closed = server.closeGracefully(5000, cutOff);
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
});
