import assert from "node:assert/strict";
import { once } from "node:events";
import { request as requestHttp1 } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import {
  type ConnectionLimits,
  connectionLimits,
  idleTimeoutFor,
  type Listening,
  listen,
} from "./listen.ts";
import type { RequestListener } from "./node-http.ts";
import { pauseMaxMs } from "./running-call.ts";

let server: Listening;

async function start(
  listener: RequestListener,
  limits: Partial<ConnectionLimits> = {},
): Promise<void> {
  const all = { ...connectionLimits, ...limits };
  server = await listen({ host: "127.0.0.1", port: 0 }, listener, all);
}

afterEach(() => server.close(0));

const echoVersion: RequestListener = (request, response) => {
  response.end(request.httpVersion);
};

async function getByHttp1(): Promise<string> {
  const request = requestHttp1({ port: server.port, host: server.host, agent: false }).end();
  const [response] = await once(request, "response");
  return text(response);
}

async function getByHttp2(): Promise<string> {
  const session = connectHttp2(`http://${server.host}:${server.port}`);
  try {
    return await text(session.request({ ":path": "/" }));
  } finally {
    session.close();
  }
}

async function openSocket(): Promise<Socket> {
  const socket = connect({ host: server.host, port: server.port });
  await once(socket, "connect");
  return socket;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(5);
}

describe("listen()", () => {
  it("answers HTTP/1.1 and cleartext HTTP/2 on one port", async () => {
    await start(echoVersion);
    assert.equal(await getByHttp1(), "1.1");
    assert.equal(await getByHttp2(), "2.0");
  });

  it("reads a request whose bytes arrive one by one", async () => {
    await start(echoVersion);
    const socket = await openSocket();
    for (const byte of "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") {
      socket.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.match(await text(socket), /^HTTP\/1\.1 200 OK.*1\.1/s);
  });

  it("treats a connection that starts like HTTP/2 but is not as HTTP/1.1", async () => {
    await start(echoVersion);
    const socket = await openSocket();
    socket.write("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    assert.match(await text(socket), /^HTTP\/1\.1 200 OK/);
  });

  it("survives connections that break before, within and after their first bytes", async () => {
    await start(echoVersion);
    for (const start of ["", "P", "PRI", "POST / HT"]) {
      const socket = await openSocket();
      if (start !== "") socket.write(start);
      socket.resetAndDestroy();
    }
    assert.equal(await getByHttp1(), "1.1");
  });

  it("waits for a running call before it closes, and accepts no new connection", async () => {
    const running = Promise.withResolvers<() => void>();
    await start((_request, response) => running.resolve(() => response.end("done")));
    const answer = getByHttp1();
    const finish = await running.promise;
    const closed = server.close(60_000);
    await assert.rejects(openSocket(), { code: "ECONNREFUSED" });
    finish();
    assert.equal(await answer, "done");
    await closed;
  });

  it("closes a kept-alive connection when its call has ended", async () => {
    const running = Promise.withResolvers<() => void>();
    await start((_request, response) => running.resolve(() => response.end("done")));
    const socket = await openSocket();
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const finish = await running.promise;
    const closed = server.close(60_000);
    finish();
    await Promise.all([closed, text(socket)]);
  });

  it("breaks a call off after the grace period", async () => {
    const running = Promise.withResolvers<void>();
    await start(() => running.resolve());
    const answer = getByHttp1();
    await running.promise;
    await Promise.all([server.close(1), assert.rejects(answer, { code: "ECONNRESET" })]);
  });

  for (const part of ["", "P", "PRI", "POST / HTTP/1.1\r\nHost: a\r\n"]) {
    it(`closes a connection that stops after ${JSON.stringify(part)}`, async () => {
      await start(echoVersion, { requestTimeoutMs: 40, keepAliveTimeoutMs: 40 });
      const socket = await openSocket();
      socket.on("error", () => {});
      if (part !== "") socket.write(part);
      await text(socket);
    });
  }

  for (const part of ["", "P", "PRI", "POST / HTTP/1.1\r\nHost: a\r\n"]) {
    it(`closes a connection that its caller ends after ${JSON.stringify(part)}`, async () => {
      await start(echoVersion);
      const socket = await openSocket();
      socket.on("error", () => {}).resume();
      socket.end(part);
      await once(socket, "close", { signal: AbortSignal.timeout(10_000) });
    });
  }

  it("closes a connection whose body stops", async () => {
    const limits = { requestTimeoutMs: 40, idleTimeoutMs: 60_000 };
    await start((request) => request.resume(), limits);
    const socket = await openSocket();
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf");
    await text(socket);
  });

  it("closes an HTTP/2 connection whose call has no traffic", async () => {
    await start(() => {}, { idleTimeoutMs: 40, keepAliveTimeoutMs: 40 });
    const session = connectHttp2(`http://${server.host}:${server.port}`);
    session.request({ ":path": "/" }).on("error", () => {});
    await once(session, "close");
  });

  it("keeps an HTTP/2 connection without calls longer than one whose call is idle", async () => {
    const limits = { idleTimeoutMs: 40, keepAliveTimeoutMs: 400 };
    await start(echoVersion, limits);
    const session = connectHttp2(`http://${server.host}:${server.port}`);
    const closed = once(session, "close");
    const beganMs = performance.now();
    await text(session.request({ ":path": "/" }));
    await closed;
    assert.ok(performance.now() - beganMs >= limits.keepAliveTimeoutMs);
  });

  it("cuts off an HTTP/2 connection whose caller does not close it", async () => {
    await start(echoVersion, { connectionsMax: 1, keepAliveTimeoutMs: 40 });
    const socket = await openSocket();
    // The caller does not see that its connection is closed, since it does not read.
    socket.on("error", () => {}).pause();
    socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
    await until(async () => (await getByHttp1().catch(() => "refused")) === "1.1");
    socket.destroy();
  });

  it("closes the connection of a caller that does not read its answer", async () => {
    const closed = Promise.withResolvers<void>();
    await start(
      (_request, response) => {
        response.once("close", closed.resolve);
        response.end(Buffer.alloc(64 * 1024 * 1024));
      },
      { idleTimeoutMs: 40 },
    );
    const socket = await openSocket();
    socket.on("error", () => {}).pause();
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await closed.promise;
    socket.destroy();
  });

  it("waits for a call that works, and for a caller that may pause", () => {
    assert.ok(idleTimeoutFor({ timeoutMaxMs: 600_000, sendProgressMs: 100 }) > 600_000);
    const limits = { timeoutMaxMs: 1000, sendProgressMs: 600_000 };
    assert.ok(idleTimeoutFor(limits) > pauseMaxMs(limits));
  });

  it("closes connections beyond its limit at once", async () => {
    await start(echoVersion, { connectionsMax: 1 });
    const first = await openSocket();
    const second = await openSocket();
    second.on("error", () => {});
    await text(second);
    first.destroy();
  });

  it("closes connections of one address beyond its limit, but not those of proxies", async () => {
    await start(echoVersion, { addressConnectionsMax: 1 });
    const first = await openSocket();
    const second = await openSocket();
    await text(second.on("error", () => {}));
    first.destroy();
    await until(async () => (await getByHttp1().catch(() => "closed")) === "1.1");
    await server.close(0);

    await start(echoVersion, { addressConnectionsMax: 1, trustedProxies: ["127.0.0.0/8"] });
    const held = await openSocket();
    assert.equal(await getByHttp1(), "1.1");
    held.destroy();
  });

  it("keeps an idle connection open for its time, longer than a request may take", async () => {
    const limits = { requestTimeoutMs: 40, keepAliveTimeoutMs: 1000 };
    await start(echoVersion, limits);
    const socket = await openSocket();
    const closed = once(socket, "close");
    const beganMs = performance.now();
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const [answer] = await once(socket, "data");
    assert.match(`${answer}`, /^keep-alive: timeout=1\r$/im);
    socket.resume();
    await closed;
    assert.ok(performance.now() - beganMs >= limits.keepAliveTimeoutMs);
  });

  it("tells the caller when it closes an HTTP/2 connection without calls", async () => {
    const running = Promise.withResolvers<() => void>();
    const listener: RequestListener = (request, response) => {
      if (request.url === "/") response.end();
      else running.resolve(() => response.end());
    };
    await start(listener, { keepAliveTimeoutMs: 50 });
    const session = connectHttp2(`http://${server.host}:${server.port}`);
    const ended = [once(session, "goaway"), once(session, "close")];
    const held = session.request({ ":path": "/held" });
    const finish = await running.promise;
    await text(session.request({ ":path": "/" }));
    await setTimeout(150);
    assert.ok(!session.closed, "it has a call");
    finish();
    await text(held);
    await Promise.all(ended);
  });

  it("tells HTTP/1.1 callers to close their connections while it drains", async () => {
    await start(echoVersion);
    const socket = await openSocket();
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert.match(`${await once(socket, "data")}`, /^connection: keep-alive\r$/im);
    server.drain();
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert.match(await text(socket), /^connection: close\r$/im);
    assert.equal(await getByHttp1(), "1.1");
    assert.equal(await getByHttp2(), "2.0");
  });

  it("closes idle connections at once when it closes", async () => {
    await start(echoVersion);
    const socket = await openSocket();
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(socket, "data");
    socket.resume();
    await Promise.all([server.close(60_000), once(socket, "close")]);
  });

  for (const part of ["", "PR"]) {
    it(`does not wait for a connection that has sent ${JSON.stringify(part)}`, async () => {
      await start(echoVersion);
      const socket = await openSocket();
      socket.on("error", () => {}).resume();
      socket.write(part);
      assert.equal(await getByHttp1(), "1.1");
      const closed = once(socket, "close", { signal: AbortSignal.timeout(30_000) });
      await Promise.all([server.close(60_000), closed]);
    });
  }

  it("rejects when the port is in use", async () => {
    await start(echoVersion);
    const second = listen({ host: server.host, port: server.port }, echoVersion);
    await assert.rejects(second, /Cannot listen on .* port \d+ \(PORT\)$/);
  });
});
